// One long streamed body, BENCH_BYTES of it: the resident set now and then while it goes by.
const { BENCH_URL, BENCH_BYTES } = process.env;
const SAMPLES = 40;
const total = Number(BENCH_BYTES);
const rssMb = [];
let seen = 0;
const began = performance.now();
const response = await fetch(`${BENCH_URL}/bytes?count=${total}`);
const start = process.memoryUsage.rss() / 1e6;
for await (const chunk of response.body) {
  const before = Math.floor((seen * SAMPLES) / total);
  seen += chunk.length;
  if (Math.floor((seen * SAMPLES) / total) > before) rssMb.push(process.memoryUsage.rss() / 1e6);
}
console.log(`answers ${seen === total ? 1 : 0}/1`);
console.log(JSON.stringify({ loopMs: performance.now() - began, start, rssMb }));
