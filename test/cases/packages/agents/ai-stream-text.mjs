// The `ai` package: streamText with a tool over several steps, its full stream and text; then one that is aborted.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
const openai = createOpenAI({ apiKey: 'sk-test-0000', baseURL: `${process.env.MODEL_URL}/v1` });
const model = openai.chat('gpt-4o-mini');
const tools = {
  get_order_status: tool({
    description: 'Status of an order',
    inputSchema: z.object({ order_id: z.string() }),
    execute: async ({ order_id: id }) => (await fetch(`${process.env.SERVER_URL}/json?order=${id}`)).json(),
  }),
};
const result = streamText({ model, tools, stopWhen: stepCountIs(4), maxRetries: 8, prompt: 'Where is my order A-1042?' });
for await (const part of result.fullStream) console.log(part.type, part.id ?? part.toolCallId ?? '', part.text ?? part.input ?? '');
console.log(await result.text, (await result.steps).map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input])), await result.usage);
const controller = new AbortController();
const aborted = streamText({ model, maxRetries: 8, prompt: 'Write a long poem.', abortSignal: controller.signal, onAbort: ({ steps }) => console.log('aborted after', steps.length) });
let chunks = 0;
for await (const text of aborted.textStream) if (++chunks === 2) controller.abort();
console.log(chunks);
console.log((await generateText({ model, maxRetries: 8, prompt: 'Hello' })).text);
