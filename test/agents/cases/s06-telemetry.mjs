// Case S06: an agent that also posts a batched trace from an interval.
const server = process.env.SERVER_URL;
let batch = [];
const upload = setInterval(() => {
  const sent = batch;
  batch = [];
  fetch(`${process.env.TELEMETRY_URL}/telemetry`, { method: 'POST', body: JSON.stringify(sent) }).catch(() => {});
}, 7);
for (let i = 0; i < 6; i++) {
  batch.push({ at: Date.now(), step: i });
  const { id } = await (await fetch(`${server}/json?d=15`, { method: 'POST', body: `The prompt number ${i}` })).json();
  console.log(i, id);
}
clearInterval(upload);
