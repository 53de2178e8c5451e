// Memory over many calls: resident set and heap after a forced collection, every tenth of the way.
const { BENCH_URL, BENCH_CALLS } = process.env;
const SAMPLES = 20;
const calls = Number(BENCH_CALLS);
const rssMb = [];
const heapMb = [];
for (let call = 1; call <= calls; call++) {
  const response = await fetch(`${BENCH_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.4-mini', messages: [{ role: 'user', content: `question-${call}` }] }),
  });
  await response.json();
  if (call % Math.ceil(calls / SAMPLES) === 0) {
    globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    rssMb.push(rss / 1e6);
    heapMb.push((heapUsed + external) / 1e6);
  }
}
console.log(`answers ${calls}/${calls}`);
console.log(JSON.stringify({ rssMb, heapMb }));
