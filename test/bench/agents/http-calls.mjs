// Sequential LLM calls through node:http, its function imported by name: BENCH_CALLS of them.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

const { BENCH_URL, BENCH_KEY, BENCH_CALLS } = process.env;
const agent = new Agent({ keepAlive: true });
const digest = createHash('sha256');
let ok = 0;
let failure;

function post(body) {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${BENCH_URL}/v1/chat/completions`, { method: 'POST', agent, headers: { 'content-type': 'application/json', authorization: `Bearer ${BENCH_KEY}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => (text += piece)).on('end', () => resolve(JSON.parse(text))).on('error', reject);
    });
    outgoing.on('error', reject).end(JSON.stringify(body));
  });
}

const before = process.cpuUsage();
for (let call = 0; call < Number(BENCH_CALLS); call++) {
  try {
    const { id } = await post({ model: 'gpt-5.4-mini', messages: [{ role: 'user', content: `question-${call}` }] });
    digest.update(`${id}\n`);
    ok += 1;
  } catch (error) {
    failure ??= String(error.cause ?? error);
  }
}
const { user, system } = process.cpuUsage(before);
agent.destroy();
console.log(`answers ${ok}/${BENCH_CALLS} ${digest.digest('hex').slice(0, 16)}`);
if (failure) console.log(`first failure: ${failure}`);
console.log(JSON.stringify({ loopCpuMs: (user + system) / 1000 }));
