/** A small agent on the real SDK: asks the model, runs the tool it wants, asks again. */
import OpenAI from 'openai';
import { httpRig, readAll, type Rig } from './http.ts';
import { completion, sendJson, toolCall } from './models.ts';
import type { Tape } from './traffic.ts';

export const WEATHER: OpenAI.ChatCompletionFunctionTool = { type: 'function', function: { name: 'get_weather', description: 'Weather now', parameters: { type: 'object', properties: { city: { type: 'string' } } } } };

export function openaiClient(server: Rig): OpenAI {
  return new OpenAI({ baseURL: `${server.base}/v1`, apiKey: 'sk-secret-0123456789', maxRetries: 0 });
}

export async function toolServer(tape?: Tape): Promise<Rig> {
  return await httpRig(async (req, res) => {
    if (req.url?.startsWith('/weather')) return sendJson(res, 200, { temp: 12 });
    const body = JSON.parse((await readAll(req)).toString()) as { messages: { role: string }[] };
    const answered = body.messages.some((message) => message.role === 'tool');
    return sendJson(res, 200, answered ? completion({ content: 'It is 12 °C.' }) : completion({ tool_calls: [toolCall('call-1', 'get_weather', { city: 'Paris' })] }, 'tool_calls'));
  }, tape);
}

export async function runToolLoop(server: Rig): Promise<void> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Paris?' }];
  const openai = openaiClient(server);
  const first = await openai.chat.completions.create({ model: 'gpt-4o-mini', messages, tools: [WEATHER] });
  const asked = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
  const result = await (await fetch(`${server.base}/weather?city=Paris`)).text();
  messages.push(asked, { role: 'tool', tool_call_id: 'call-1', content: result });
  await openai.chat.completions.create({ model: 'gpt-4o-mini', messages, tools: [WEATHER] });
}
