// Sequential LLM calls, as an agent's loop makes them: BENCH_CALLS of them, through fetch.
import { createHash } from 'node:crypto';

const { BENCH_URL, BENCH_KEY, BENCH_CALLS } = process.env;
const digest = createHash('sha256');
const latencies = [];
const failures = [];

const before = process.cpuUsage();
const began = performance.now();
for (let call = 0; call < Number(BENCH_CALLS); call++) {
  const sent = performance.now();
  try {
    const response = await fetch(`${BENCH_URL}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${BENCH_KEY}` },
      body: JSON.stringify({ model: 'gpt-5.4-mini', messages: [{ role: 'system', content: 'You answer in one sentence.' }, { role: 'user', content: `question-${call}` }] }),
    });
    const { id, choices } = await response.json();
    digest.update(`${id} ${choices[0].message.content}\n`);
  } catch (error) {
    failures.push(String(error.cause ?? error));
  }
  latencies.push(performance.now() - sent);
}
const loopMs = performance.now() - began;
const { user, system } = process.cpuUsage(before);

latencies.sort((a, b) => a - b);
const p50Us = latencies[latencies.length >> 1] * 1000;
const ok = latencies.length - failures.length;
console.log(`answers ${ok}/${latencies.length} ${digest.digest('hex').slice(0, 16)}`);
if (failures.length > 0) console.log(`first failure: ${failures[0]}`);
console.log(JSON.stringify({ loopMs, loopCpuMs: (user + system) / 1000, p50Us, rssMb: process.memoryUsage.rss() / 1e6 }));
