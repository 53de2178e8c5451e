/** `show --json`: every kind of step in the contract's form. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { expect, test } from 'vitest';
import { ClockPack, expandClockReads } from '../../src/model/clock.ts';
import { encodeArguments, encodeOutcome } from '../../src/model/value.ts';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { execute } from '../support/execute.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { httpRig, readAll } from './support/http.ts';
import { ANTHROPIC_STREAM, completion, sendEvents, sendJson, toolCall } from './support/models.ts';
import { SHOW_SCHEMA, SORTS, STEPS_SCHEMA } from './support/step-schema.ts';
import { runCommand, speakMcp } from './support/processes.ts';
import { post } from './support/steps.ts';
import { runToolLoop, toolServer } from './support/tool-loop.ts';
import { Tape } from './support/traffic.ts';

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const steps = ajv.compile(STEPS_SCHEMA);
const show = ajv.compile(SHOW_SCHEMA);

function expectValid(validate: ValidateFunction, value: unknown): void {
  const valid = validate(JSON.parse(JSON.stringify(value)));
  expect(valid, JSON.stringify(validate.errors?.filter(({ keyword }) => keyword !== 'const' && keyword !== 'oneOf').slice(0, 20), null, 1)).toBe(true);
}

const sortOf = ({ kind, boundary }: Step): string => `${kind} ${boundary}`;

test('one of everything', async () => {
  const tape = new Tape();
  const pack = new ClockPack();
  pack.add(0, 5);
  tape.value('clock', 0, '', expandClockReads(pack.take()));
  tape.value('random', 3, '');
  tape.value('entropy', 0, ['randomUUID'], encodeOutcome({ result: 'u' }));
  tape.value('process-value', 0, ['cwd'], encodeOutcome({ result: '/' }));
  tape.value('os-value', 0, ['hostname'], encodeOutcome({ result: 'h' }));
  for (const kind of ['timer', 'immediate'] as const) tape.deliver(tape.start(kind, kind === 'timer' ? [100] : []), 'fired');
  tape.value('fs-value', 0, ['readFileUtf8', 'a.json', 0], encodeOutcome({ result: '{}' }));
  tape.deliver(tape.start('fs', ['open', '/b', 0, 438]), 'completed', -2);
  tape.start('fs', ['stat', '/never']);
  tape.deliver(tape.start('dns', ['lookup', 'h']), 'completed', 0, encodeOutcome({ result: [null, ['127.0.0.1']] }));
  tape.deliver(tape.start('crypto', ['pbkdf2']), 'completed', 0, encodeOutcome({ result: 1 }));
  tape.deliver(tape.start('crypto', ['randomBytes', 4]), 'completed', 0, encodeOutcome({ result: 'abcd' }));
  const [stdin, stdout, stderr] = [tape.start('stdio', [0]), tape.start('stdio', [1]), tape.start('stdio', [2])];
  tape.read(stdin, 'hello\n');
  tape.deliver(stdin, 'read', -4095);
  tape.write(stdout, Buffer.from([0xff, 0xfe, 0]));
  tape.write(stderr, 'oh\n');
  tape.deliver(tape.start('process-event', ['SIGTERM']), 'emitted', 0, encodeArguments(['SIGTERM']));
  tape.deliver(tape.start('tcp', ['::1', 80]), 'connected', -111);
  const redis = tape.start('tcp', ['::1', 6379]);
  tape.write(redis, '*1\r\n$4\r\nPING\r\n');
  tape.read(redis, '+PONG\r\n');
  tape.write(redis, '*2\r\n$3\r\nGET\r\n$1\r\na\r\n');
  tape.read(redis, '$1\r\nb\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nd\r\n');
  const unknown = tape.start('tcp', ['::1', 1883]);
  tape.write(unknown, Buffer.from([0x10, 0]));
  const socket = tape.start('tcp', ['::1', 80]);
  tape.write(socket, 'GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  tape.read(socket, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  const unanswered = tape.start('tcp', ['::1', 80]);
  tape.write(unanswered, 'GET /hangs HTTP/1.1\r\nHost: h\r\n\r\n');
  {
    await using server = await toolServer(tape);
    await runToolLoop(server);
  }
  {
    await using server = await httpRig(async (req, res) => {
      await readAll(req);
      if (req.url?.endsWith('/embeddings')) sendJson(res, 200, { data: [{ embedding: [1, 2] }], model: 'e', usage: { prompt_tokens: 1, total_tokens: 1 } });
      else if (req.url?.endsWith('/messages')) sendEvents(res, ANTHROPIC_STREAM);
      else sendJson(res, 429, { error: { message: 'Slow down' } });
    }, tape);
    await post(`${server.base}/v1/embeddings`, { model: 'e', input: ['a', 'b'] });
    await post(`${server.base}/v1/messages`, { model: 'c', max_tokens: 9, system: 'Be brief.', messages: [{ role: 'user', content: 'x' }] });
    await post(`${server.base}/v1/chat/completions`, { model: 'm', messages: [{ role: 'user', content: 'x' }] });
  }
  runCommand(tape);
  speakMcp(tape);
  tape.write(tape.start('ipc', ['json']), '{"to":"the parent"}\n');
  tape.add({ type: 'note', effect: 'refused', name: 'worker', stack: '' });
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 1, data: Buffer.alloc(0) });
  const all = interpret(tape.events);
  expectValid(steps, all);
  // What the schema has a form for is here, so none of the forms goes untested.
  expect([...new Set(all.map(sortOf))].sort()).toEqual([...SORTS].sort());
});

test('the schema refuses what is incomplete', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 200, completion({ tool_calls: [toolCall('a', 'f', {})] })));
  await post(`${server.base}/v1/chat/completions`, { model: 'm', messages: [{ role: 'user', content: 'x' }] });
  const [step] = JSON.parse(JSON.stringify(interpret(server.tape.events))) as [Record<string, unknown>];
  expect(steps([step])).toBe(true);
  for (const key of Object.keys(step).filter((name) => name !== 'toolCalls')) expect(steps([{ ...step, [key]: undefined }]), key).toBe(false);
  for (const side of ['input', 'output']) {
    const held = step[side] as Record<string, unknown>;
    for (const key of Object.keys(held)) expect(steps([{ ...step, [side]: Object.fromEntries(Object.entries(held).filter(([name]) => name !== key)) }]), `${side}.${key}`).toBe(false);
  }
});

const RECORDINGS = join(ROOT, 'test/recordings');
const STORES = readdirSync(RECORDINGS, { withFileTypes: true }).filter((entry) => existsSync(join(RECORDINGS, entry.name, 'runs'))).flatMap(({ name }) => readdirSync(join(RECORDINGS, name, 'runs')).map((run) => [name, run] as const));

test.each(STORES)('the recording %s/%s', async (store, run) => {
  const env = { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: join(RECORDINGS, 'v1/identity') };
  const shown = await execute({ program: process.execPath, args: [CLI, 'show', run, '--json', '--store', join(RECORDINGS, store)], cwd: testWorkspace().folder, env });
  expect(shown.exitCode, shown.stderr.toString()).toBe(0);
  expectValid(show, JSON.parse(shown.stdout.toString()));
});
