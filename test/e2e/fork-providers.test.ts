/** Forks by the functions of replay-harness/api: other models of providers that name them elsewhere, handlers that stream, and every other option. */
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const EVENTS = `export const events = (model, text) => [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...text.split(/(?<= )/).map((piece) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
].map((event) => \`event: \${event.type}\\ndata: \${JSON.stringify(event)}\\n\\n\`);
`;

const AGENT = `
import Anthropic from '@anthropic-ai/sdk';
import { setTimeout as sleep } from 'node:timers/promises';
const { SERVER, GEMINI_API_KEY } = process.env;
const asked = await fetch(SERVER + '/v1beta/models/gemini-2.5-flash:generateContent', {
  method: 'POST', headers: { 'x-goog-api-key': GEMINI_API_KEY, 'content-type': 'application/json' }, body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Say your "model"' }] }] }),
});
console.log('gemini:', (await asked.json()).candidates[0].content.parts[0].text);
const text = await new Anthropic({ baseURL: SERVER }).messages.stream({ model: 'claude-haiku-4-5-20251001', max_tokens: 99, messages: [{ role: 'user', content: 'Say your "model": "claude"' }] }).finalText();
console.log('anthropic:', text);
if (text === 'ask') console.log(await (await fetch(SERVER + '/facts')).text());
await Promise.all([sleep(20).then(() => console.log('sooner')), sleep(400).then(() => console.log('later'))]);
`;

const FORKS = `
import * as api from 'replay-harness/api';
const [id] = process.argv.slice(2);
const store = api.openStore();
const steps = await store.steps(id);
const at = (name) => steps.find(({ kind, input }) => kind === 'llm' && input.model.startsWith(name)).step;
const line = (text) => steps.find(({ boundary, output, input }) => boundary === 'stdout' && JSON.stringify([input, output]).includes(text)).step;
const out = {};
for (const [name, options] of Object.entries({
  model: { at: at('gemini'), model: 'other-model', agent: 'forker' },
  handlers: { at: at('claude'), handlers: 'handlers.mjs' },
  output: { at: at('claude'), output: 'answer.txt' },
  set: { at: at('claude'), set: { 'message.content': 'ask' }, live: [process.env.SERVER + '/facts'] },
  swap: { swap: [line('sooner'), line('later')] },
})) {
  const fork = await api.fork(id, options);
  out[name] = { printed: fork.stdout.toString(), live: fork.report.liveCalls, from: fork.run.forkedFrom === id, agent: fork.run.agent };
  if (name !== 'model' && name !== 'handlers') continue;
  const replayed = await api.replay(fork.run.id);
  out[name].replayed = replayed.report.verdict + ' ' + replayed.stdout.equals(fork.stdout);
}
out.refused = await api.fork(id, { at: at('claude'), set: { 'message.content': 'ask' } }).catch((error) => [error.constructor.name, error.code, /GET http\\S+\\/facts/.test(error.message)]);
console.log(JSON.stringify(out));
`;

it('each option does what it does on the command line', async () => {
  const workspace = testWorkspace();
  const cwd = workspace.path('project');
  mkdirSync(join(cwd, 'node_modules/@anthropic-ai'), { recursive: true });
  const { events: eventsOf } = (await import(pathToFileURL(workspace.write('project/events.mjs', EVENTS)).href)) as { events: (model: string, text: string) => string[] };
  workspace.write('project/agent.mjs', AGENT);
  const asked: string[] = [];
  const server = createServer((request, response) => void readText(request).then((body) => {
    asked.push(`${request.url} ${String(request.headers['x-goog-api-key'] ?? request.headers.authorization)} ${body}`);
    const inPath = /models\/([^:]+):generateContent/.exec(request.url ?? '')?.[1];
    if (inPath !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: `I am ${inPath}` }] }, finishReason: 'STOP', index: 0 }], modelVersion: inPath, usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 3, totalTokenCount: 7 } }));
    else if (request.url === '/facts') response.end('facts');
    else response.setHeader('content-type', 'text/event-stream').end(eventsOf('', `I am ${(JSON.parse(body) as { model: string }).model}`).join(''));
  }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const env = { SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, GEMINI_API_KEY: 'recorded-gemini-key-01', ANTHROPIC_API_KEY: 'recorded-anthropic-key-01' };
  for (const [name, to] of [['replay-harness', ROOT], ['@anthropic-ai/sdk', join(ROOT, 'node_modules/@anthropic-ai/sdk')], ['msw', join(ROOT, 'node_modules/msw')]] as const) symlinkSync(to, join(cwd, 'node_modules', name));
  workspace.write('project/forks.mjs', FORKS);
  workspace.write('project/answer.txt', eventsOf('claude-haiku-4-5-20251001', 'from a file').join(''));
  workspace.write('project/handlers.mjs', `
    import { events } from './events.mjs';
    import { http, HttpResponse } from 'msw';
    export const handlers = [http.post('*/v1/messages', async ({ request }) => {
      const rest = events((await request.json()).model, 'from a handler');
      const body = new ReadableStream({ pull(controller) { rest.length === 0 ? controller.close() : controller.enqueue(new TextEncoder().encode(rest.shift())); } }, { highWaterMark: 0 });
      return new HttpResponse(body, { headers: { 'content-type': 'text/event-stream' } });
    })];`);
  const recorded = await workspace.cli(['record', '--', process.execPath, 'agent.mjs'], { cwd, env });
  const printed = 'gemini: I am gemini-2.5-flash\nanthropic: I am claude-haiku-4-5-20251001\nsooner\nlater\n';
  expect([recorded.exitCode, recorded.stdout.toString()]).toEqual([0, printed]);
  const { id } = (JSON.parse((await workspace.cli(['runs', '--json'], { cwd })).stdout.toString()) as { id: string }[])[0] as { id: string };
  asked.length = 0;
  const ran = await workspace.node(['forks.mjs', id], { cwd, env: { SERVER: env.SERVER, GEMINI_API_KEY: 'local-gemini-key-02', ANTHROPIC_API_KEY: 'local-anthropic-key-02' } });
  expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, '']);
  const fork = (claude: string, live: number, order = 'sooner\nlater\n'): object => ({ printed: printed.replace('I am claude-haiku-4-5-20251001', claude).replace('sooner\nlater\n', order), live, from: true });
  expect(JSON.parse(ran.stdout.toString())).toMatchObject({
    model: { ...fork('I am other-model', 2), printed: 'gemini: I am other-model\nanthropic: I am other-model\nsooner\nlater\n', agent: 'forker', replayed: 'identical true' },
    handlers: { ...fork('from a handler', 0), replayed: 'identical true' },
    output: fork('from a file', 0),
    set: fork('ask\nfacts', 1),
    swap: fork('I am claude-haiku-4-5-20251001', 0, 'later\nsooner\n'),
    refused: ['LiveCallBlockedError', 'LIVE_CALL_BLOCKED', true],
  });
  expect(asked).toEqual([
    '/v1beta/models/other-model:generateContent local-gemini-key-02 {"contents":[{"role":"user","parts":[{"text":"Say your \\"model\\""}]}]}',
    expect.stringMatching(/^\/v1\/messages Bearer local-anthropic-key-02 \{"model":"other-model",.*"Say your \\"model\\": \\"claude\\""/),
    expect.stringMatching(/^\/facts /),
  ]);
});
