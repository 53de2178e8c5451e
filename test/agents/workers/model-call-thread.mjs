import { execFileSync } from 'node:child_process';
import { parentPort, getEnvironmentData } from 'node:worker_threads';

const ask = () => fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
  body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say something.' }] }),
});
let response = await ask();
while (response.status === 429) {
  await response.text();
  response = await ask();
}
const { choices } = await response.json();
parentPort.postMessage({ said: choices[0].message.content, hidden: getEnvironmentData('replay-harness.lane'), options: process.execArgv });
parentPort.once('message', () => parentPort.postMessage(execFileSync(process.execPath, ['-p', '6 * 7']).toString()));
