// LLM calls 100 at a time: BENCH_CALLS of them in all.
import { createHash } from 'node:crypto';

const { BENCH_URL, BENCH_KEY, BENCH_CALLS } = process.env;
const CONCURRENCY = 100;
const answers = [];
let next = 0;
let failure;

async function worker() {
  while (next < Number(BENCH_CALLS)) {
    const call = next++;
    try {
      const response = await fetch(`${BENCH_URL}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${BENCH_KEY}` },
        body: JSON.stringify({ model: 'gpt-5.4-mini', messages: [{ role: 'user', content: `question-${call}` }] }),
      });
      const { id } = await response.json();
      answers.push(`${call} ${id}`);
    } catch (error) {
      failure ??= String(error.cause ?? error);
    }
  }
}

const before = process.cpuUsage();
const began = performance.now();
await Promise.all(Array.from({ length: CONCURRENCY }, worker));
const loopMs = performance.now() - began;
const { user, system } = process.cpuUsage(before);

console.log(`answers ${answers.length}/${BENCH_CALLS} ${createHash('sha256').update(answers.sort().join('\n')).digest('hex').slice(0, 16)}`);
if (failure) console.log(`first failure: ${failure}`);
console.log(JSON.stringify({ perSecond: (answers.length / loopMs) * 1000, loopMs, loopCpuMs: (user + system) / 1000 }));
