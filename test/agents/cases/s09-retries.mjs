// Case S09: four attempts of one call: dead connection, 429, timeout, answer; by the OpenAI SDK and by hand.
import OpenAI from 'openai';
import { setTimeout as sleep } from 'node:timers/promises';
const server = process.env.SERVER_URL;
let last = Date.now();
const outcome = (attempt, text) => console.log(attempt, text);
const waited = () => {
  const now = Date.now();
  const ms = now - last;
  last = now;
  return ms;
};
let attempts = 0;
const client = new OpenAI({
  apiKey: 'sk-test-0000',
  baseURL: `${server}/unwell`,
  maxRetries: 3,
  timeout: 2000,
  async fetch(url, init) {
    const attempt = ++attempts;
    console.log('attempt', attempt, 'waited', waited());
    try {
      const response = await fetch(url, init);
      outcome(attempt, `${response.status} retry-after ${response.headers.get('retry-after')}`);
      return response;
    } catch (error) {
      outcome(attempt, `${error.name} ${error.message} ${error.cause?.code} ${init.signal.aborted}`);
      throw error;
    } finally {
      console.log('took', waited());
    }
  },
});
const { choices: [{ message }] } = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'How are you?' }] });
console.log(message.content);
for (let attempt = 1; ; attempt++) {
  const begun = Date.now();
  try {
    const response = await fetch(`${server}/unwell/chat/completions?id=by-hand`, { method: 'POST', body: '{}', signal: AbortSignal.timeout(2000) });
    outcome(attempt, `${response.status} after ${Date.now() - begun}`);
    if (response.ok) break;
    await response.body.cancel();
    await sleep(Number(response.headers.get('retry-after')) * 100 * (1 + Math.random()));
  } catch (error) {
    outcome(attempt, `${error.name} ${error.cause?.code} after ${Date.now() - begun}`);
    await sleep(50 * 2 ** attempt * Math.random());
  }
}
