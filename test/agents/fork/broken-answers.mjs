// Asks, and tells what came of answers that were no whole ones.
const { SERVER } = process.env;

async function ask(path, options) {
  try {
    const response = await fetch(`${SERVER}${path}`, options);
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return `${error.name} ${error.message} ${error.cause?.code}`;
  }
}

console.log((await ask('/first')).slice(4, 5));
console.log(await ask('/length'), '|', await ask('/chunked'), '|', await ask('/reset'), '|', await ask('/nothing'));
console.log(await ask('/late'), '|', await ask('/late', { signal: AbortSignal.timeout(300) }), '|', await ask('/late'));
