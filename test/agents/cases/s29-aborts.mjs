// Requests that are given up at once, or when the answer has begun; says by how much the process grew after the first fifth.
const MB = 1024 * 1024;
const count = Number(process.env.REQUESTS);
const BATCH = 20;
let [aborted, warm] = [0, 0];
async function giveUp(number) {
  const controller = new AbortController();
  const request = fetch(`${process.env.BODY_URL}/1000000`, { signal: controller.signal });
  if (number % 2 === 0) controller.abort();
  try {
    const response = await request;
    controller.abort();
    await response.text();
  } catch (error) {
    if (error.name === 'AbortError') aborted++;
  }
}
for (let done = 0; done < count; done += BATCH) {
  await Promise.all(Array.from({ length: BATCH }, (_, i) => giveUp(done + i)));
  if (done < count / 5) warm = process.memoryUsage().rss;
}
console.log(`${aborted} aborted`);
console.error(`grew by ${Math.round((process.memoryUsage().rss - warm) / MB)} MB`);
process.exit();
