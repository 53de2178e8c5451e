// Server-sent events by fetch: a reader, for await, a text decoder stream, and one that is cancelled half way.
const server = process.env.SERVER_URL;
const t0 = Date.now();
const reader = (await fetch(`${server}/sse?n=5&gap=15`, { method: 'POST' })).body.getReader();
for (let i = 0; ; i++) {
  const { done, value } = await reader.read();
  if (done) break;
  console.log(i, value.length, Date.now() - t0);
}
for await (const chunk of (await fetch(`${server}/sse?n=5`)).body) console.log(chunk.length, performance.now() > 0);
for await (const text of (await fetch(`${server}/sse?n=3`)).body.pipeThrough(new TextDecoderStream())) console.log(text.trim());
const half = (await fetch(`${server}/sse?n=50&gap=10`)).body.getReader();
console.log((await half.read()).value.length);
await half.cancel('enough');
const both = await Promise.all([4, 6].map(async (n) => (await (await fetch(`${server}/sse?n=${n}&gap=3`)).text()).length));
console.log(both);
