// HTTP/2 by clients of every kind: undici with allowH2 (its fetch too), got, and a model asked over it, streamed and not.
import got from 'got';
import OpenAI from 'openai';
import { Agent, fetch as undiciFetch, request } from 'undici7';

const url = process.env.SERVER_H2_URL;
const dispatcher = new Agent({ allowH2: true });
const first = await request(`${url}/json?number=1`, { dispatcher, headers: { 'x-mark': 'undici' } });
console.log(first.statusCode, first.headers['content-type'], await first.body.json());
const posted = await request(`${url}/upload`, { dispatcher, method: 'POST', body: Buffer.alloc(200_000, 1) });
console.log(posted.statusCode, await posted.body.json());
const answers = await Promise.all([2, 3, 4, 5].map(async (number) => (await undiciFetch(`${url}/json?number=${number}`, { dispatcher })).json()));
console.log(answers.map(({ number }) => number));
for await (const chunk of (await undiciFetch(`${url}/chunks?count=4`, { dispatcher })).body) console.log(Buffer.from(chunk).toString().trim());
const reset = await undiciFetch(`${url}/reset`, { dispatcher }).then((answer) => answer.text()).catch((error) => `${error.name} ${error.message}`);
console.log('reset', reset);

const openai = new OpenAI({ apiKey: 'sk-test-0000', baseURL: `${url}/v1`, maxRetries: 0, fetch: (input, init) => undiciFetch(input, { ...init, dispatcher }) });
const messages = [{ role: 'user', content: 'What is the answer?' }];
console.log((await openai.chat.completions.create({ model: 'gpt-4o-mini', messages })).choices[0].message.content);
let text = '';
for await (const chunk of await openai.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true })) text += chunk.choices[0].delta.content ?? '';
console.log(text);
await dispatcher.close();

const answered = await got(`${url}/json?number=6`, { http2: true, retry: { limit: 0 } }).json();
console.log('got', answered.number, answered.method);
const echoed = await got.post(`${url}/echo`, { http2: true, body: 'by got', retry: { limit: 0 } });
console.log('got', echoed.statusCode, echoed.httpVersion, echoed.body);
// The runtime's own fetch: over HTTP/2 where it speaks that.
console.log('fetch', (await (await fetch(`${url}/json?number=7`)).json()).number);
// got keeps its session open.
process.exit();
