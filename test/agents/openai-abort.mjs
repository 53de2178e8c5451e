// The openai SDK: streams left by break, aborted by their controller, by a signal and by a timeout; and the helper with events.
import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'sk-test-0000', baseURL: `${process.env.MODEL_URL}/v1`, maxRetries: 8 });
const ask = (content, options) => client.chat.completions.create({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content }] }, options);
const read = async (stream, leave) => {
  let chunks = 0;
  let text = '';
  for await (const { choices: [choice] } of stream) {
    text += choice?.delta.content ?? '';
    if (++chunks === 3 && leave()) break;
  }
  return [chunks, text, stream.controller.signal.aborted];
};
const show = (error) => console.log(error.name, error.constructor.name, error.message, error.cause?.name);
console.log(await read(await ask('Write a long poem.'), () => true));
const second = await ask('Write another.');
await read(second, () => void second.controller.abort()).then(console.log, show);
const controller = new AbortController();
await ask('And one more.', { signal: controller.signal }).then((stream) => read(stream, () => void controller.abort())).then(console.log, show);
await ask('Too late.', { signal: AbortSignal.abort() }).catch(show);
await client.get('/models', { timeout: 1, maxRetries: 0 }).then(({ object }) => console.log(object), show);
const helper = client.chat.completions.stream({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello there.' }] });
let deltas = 0;
helper.on('content', () => ++deltas === 2 && helper.abort()).on('abort', show).on('end', () => console.log('end', helper.aborted));
await helper.done().catch(() => {});
console.log((await client.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })).id);
