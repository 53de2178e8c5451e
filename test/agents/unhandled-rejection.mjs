// A rejection that nobody handles, after one that is handled late.
process.on('rejectionHandled', () => console.log('handled late'));
const { id } = await (await fetch(`${process.env.SERVER_URL}/json?d=10`)).json();
console.log(id);
async function step() {
  await new Promise((resolve) => setTimeout(resolve, 3));
  throw new RangeError(`no ${id.length}`);
}
step();
setTimeout(() => console.log('never reached'), 1000);
