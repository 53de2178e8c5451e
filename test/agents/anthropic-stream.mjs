// The Anthropic SDK: one message at once, one streamed through its helper with events.
import Anthropic from '@anthropic-ai/sdk';
const client = new Anthropic({ apiKey: 'sk-ant-test-0000', baseURL: process.env.MODEL_URL, maxRetries: 8 });
const ask = (content) => ({ model: 'claude-sonnet-4-5', max_tokens: 200, messages: [{ role: 'user', content }] });
const message = await client.messages.create(ask('Say something.'));
console.log(message.id, message.content, message.usage);
const stream = client.messages.stream(ask('Say something longer, please.'));
stream.on('text', (delta) => console.log('delta', JSON.stringify(delta)));
stream.on('contentBlock', (block) => console.log('block', block.type));
const final = await stream.finalMessage();
console.log(final.id, final.stop_reason, final.usage);
await client.messages.create({ ...ask('x'), max_tokens: -1 }, { maxRetries: 0 }).catch((error) => console.log(error.status, error.name));
