// The openai SDK: a streamed loop in which the model calls a tool until it has what it wants.
import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'sk-test-0000', baseURL: `${process.env.MODEL_URL}/v1`, maxRetries: 8 });
const tools = [{ type: 'function', function: { name: 'get_order_status', description: 'Status of an order', parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] } } }];
const messages = [{ role: 'system', content: 'You help customers.' }, { role: 'user', content: 'Where is my order A-1042?' }];
for (let turn = 0; turn < 4; turn++) {
  const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', messages, tools, stream: true });
  const message = { role: 'assistant', content: '', tool_calls: [] };
  for await (const { choices: [choice] } of stream) {
    message.content += choice?.delta.content ?? '';
    for (const { index, id, function: called } of choice?.delta.tool_calls ?? []) {
      const call = (message.tool_calls[index] ??= { id, type: 'function', function: { name: called.name, arguments: '' } });
      call.function.arguments += called.arguments ?? '';
    }
  }
  console.log(turn, message.content, JSON.stringify(message.tool_calls));
  if (message.tool_calls.length === 0) break;
  messages.push(message);
  for (const { id, function: { arguments: given } } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: await (await fetch(`${process.env.SERVER_URL}/json?tool=${encodeURIComponent(given)}`)).text() });
}
