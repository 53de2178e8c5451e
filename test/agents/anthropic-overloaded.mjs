// The Anthropic SDK against an overloaded server: 529 with retry-after in seconds, then in milliseconds, then an answer; and too few retries.
import Anthropic from '@anthropic-ai/sdk';
const body = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const client = (baseURL, maxRetries) => new Anthropic({ apiKey: 'sk-ant-test-0000', baseURL, maxRetries });
let last = performance.now();
const message = await client(`${process.env.SERVER_URL}/overloaded`, 3).messages.create(body, {
  fetchOptions: {},
  headers: { 'x-mark': String(Math.random()) },
});
console.log(message.content, performance.now() - last);
last = performance.now();
await client(`${process.env.SERVER_URL}/overloaded`, 0).messages.create(body).then(({ id }) => console.log(id), (error) => console.log(error.status, error.name));
const unread = client(`${process.env.SERVER_URL}/absent`, 1).messages.create(body).catch((error) => console.log(error.status, error.name, error.error));
await unread;
const { response } = await client(`${process.env.SERVER_URL}/overloaded`, 2).messages.create(body).withResponse();
console.log(response.status, response.headers.get('content-type'), performance.now() - last > 0);
