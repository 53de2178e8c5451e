import { expect, test } from 'vitest';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { notableIn } from '../../src/steps/notable/notable.ts';
import { httpRig, readAll, type Rig } from './support/http.ts';
import { completion, sendJson, toolCall } from './support/models.ts';
import { post } from './support/steps.ts';
import { Tape } from './support/traffic.ts';

type Said = readonly [role: string, content: string];
type Reply = { readonly message?: object; readonly finish?: string; readonly status?: number; readonly body?: unknown };

/** Answers chat completions in turn, and other paths from `others`. */
async function world(replies: Reply[], others: Readonly<Record<string, Reply>> = {}): Promise<Rig> {
  return await httpRig(async (req, res) => {
    await readAll(req);
    const chat = req.url?.endsWith('/chat/completions');
    const { message, finish, status = 200, body } = (chat ? replies.shift() : others[req.url ?? '']) ?? { message: { content: 'done' } };
    if (status === 204) res.writeHead(status).end();
    else sendJson(res, status, body ?? (chat ? completion(message ?? {}, finish) : {}));
  });
}

function say(server: Rig, messages: readonly (Said | object)[], extra: object = {}): Promise<string> {
  return post(`${server.base}/v1/chat/completions`, { model: 'm', messages: messages.map((said) => (Array.isArray(said) ? { role: said[0] as string, content: said[1] as string } : said)), ...extra });
}

/** What was found but the ending: these tapes have no exit. */
function found(server: Rig): { what: string; text: string }[] {
  return notableIn(interpret(server.tape.events)).filter(({ what }) => what !== 'ending').map(({ what, text }) => ({ what, text: text.replaceAll(server.base, '') }));
}

const calls = (...asked: [id: string, name: string, args: object][]): Reply => ({ message: { tool_calls: asked.map(([id, name, args]) => toolCall(id, name, args)) }, finish: 'tool_calls' });
const echo = (...asked: [id: string, name: string, args: object][]): object => ({ role: 'assistant', content: null, tool_calls: asked.map(([id, name, args]) => toolCall(id, name, args)) });
const told = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });

test('nothing stands out of a run that went well', async () => {
  const call: [string, string, object] = ['a', 'look_up', { order_id: 'A-7001', date: '2026-11-29', words: 'a question of my own' }];
  await using server = await world([calls(call)], { '/orders': { body: { rows: [1], errors: [], tags: [] } }, '/acknowledged': { status: 204, body: '' } });
  await say(server, [['system', 'You are an agent.'], ['user', 'Look at a-7001']]);
  await (await fetch(`${server.base}/orders`)).text();
  await (await fetch(`${server.base}/acknowledged`)).text();
  await say(server, [['system', 'You are an agent.'], ['user', 'Look at a-7001'], echo(call), told('a', '{"state":"sent","errors":[]}')]);
  expect(found(server)).toEqual([]);
});

test('failures: what was asked again, statuses, answers that were cut or withheld', async () => {
  await using server = await world([{ status: 429, body: { error: { message: 'Slow down.' } } }, {}, { status: 500, body: { error: { message: 'Oh.' } } }, { message: { content: 'half of' }, finish: 'length' }, { message: { content: '' }, finish: 'content_filter' }, { message: { refusal: 'I will not.' } }], { '/gone': { status: 404, body: { detail: 'no' } } });
  for (const content of ['same', 'same', 'other', 'long', 'bad', 'worse']) await say(server, [['user', content]]);
  await (await fetch(`${server.base}/gone`)).text();
  expect(found(server)).toEqual([
    { what: 'failed', text: 'openai m failed: HTTP_500: Oh' },
    { what: 'cut', text: 'the answer was cut off at the limit of its length (finish reason length)' },
    { what: 'refused', text: 'the answer was withheld or refused (finish reason content_filter)' },
    { what: 'refused', text: 'the model refused: I will not.' },
    { what: 'status', text: 'GET /gone was answered 404: {"detail":"no"}' },
    { what: 'retried', text: expect.stringMatching(/^HTTP_429: Slow down; the same was asked again in \d+$/) },
  ]);
});

test('results that hold nothing, and what the model was told of them', async () => {
  const asked: [string, string, object][] = [['a', 'find', { q: 'abc' }], ['b', 'read', { q: 'def' }], ['c', 'list', { q: 'ghi' }], ['d', 'run', { q: 'jkl' }], ['e', 'peek', { q: 'mno' }]];
  await using server = await world([calls(...asked)], { '/find?q=abc': { body: { entries: [], total: 0 } } });
  await say(server, [['user', 'x']]);
  await (await fetch(`${server.base}/find?q=abc`)).text();
  await say(server, [['user', 'x'], echo(...asked), told('a', 'all is well'), told('b', 'Document not found.'), told('c', '[]'), told('d', 'Error: no disk'), told('e', '{"error":"bad"}')]);
  expect(found(server)).toEqual([
    { what: 'told-otherwise', text: expect.stringMatching(/^GET \/find\?q=abc was answered with an empty list \(entries\); it served find of \d+, and in \d+ the model was told "all is well"$/) },
    { what: 'tool-error', text: expect.stringMatching(/^run, .* returned "Error: no disk"$/) },
    { what: 'tool-error', text: expect.stringMatching(/^peek, .* returned an error: bad$/) },
    { what: 'not-found', text: expect.stringMatching(/^read, asked for in \d+, returned "Document not found\."$/) },
    { what: 'empty', text: expect.stringMatching(/^list, .* returned an empty list$/) },
  ]);
});

test('an empty answer that was handed on is said once', async () => {
  const call: [string, string, object] = ['a', 'find', { q: 'abc' }];
  await using server = await world([calls(call)], { '/find?q=abc': { body: [] } });
  await say(server, [['user', 'x']]);
  const body = await (await fetch(`${server.base}/find?q=abc`)).text();
  await say(server, [['user', 'x'], echo(call), told('a', body)]);
  expect(found(server)).toEqual([{ what: 'empty', text: expect.stringMatching(/^GET \/find\?q=abc was answered with an empty list; it served find of \d+, and in \d+ the model was told "\[\]"$/) }]);
});

test('an argument that nobody named, and a call that is made again and again', async () => {
  await using server = await world(Array.from({ length: 3 }, (_, index) => calls([`c${index}`, 'refund', { order: 'A-7009', note: 'sorry for that' }])));
  for (let round = 0; round < 3; round++) await say(server, [['user', `Refund order A-7001, round ${round}`]]);
  const all = found(server);
  expect(all.filter(({ what }) => what === 'argument-from-nowhere').map(({ text }) => text)).toEqual(Array<string>(3).fill('refund was asked for with order "A-7009", which is nowhere in what the model was told'));
  expect(all.filter(({ what }) => what === 'repeated').map(({ text }) => text)).toEqual(['refund({"order":"A-7009","note":"sorry for that"}) was asked for 3 times with the same arguments']);
});

function askOn(tape: Tape, content: string): number {
  const operation = tape.start('tcp', ['h', 80]);
  tape.deliver(operation, 'connected');
  const body = JSON.stringify({ model: 'm-2026-01-01', messages: [{ role: 'user', content }] });
  tape.write(operation, `POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return operation;
}

function answerOn(tape: Tape, operation: number, content: string, status = 200): void {
  const body = JSON.stringify(status === 200 ? completion({ content }) : { error: { message: content } });
  tape.read(operation, `HTTP/1.1 ${status} Said\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Two calls under way together: asked in this order, answered in the other; then a prompt in the turn of the first one's answer. `again`: the first is refused and asked again. */
function sideBySide(next: string, { together = true, again = false } = {}): Step[] {
  const tape = new Tape();
  const ask = (content: string): number => askOn(tape, content);
  const answer = (operation: number, content: string, status?: number): void => answerOn(tape, operation, content, status);
  const about = 'about the first mail';
  let first = ask(about);
  if (!together) answer(first, 'It is A-7001.');
  const second = ask('about the second mail');
  if (again) {
    answer(first, 'slow down', 429);
    first = ask(about);
  }
  answer(second, 'It is A-7002.');
  if (together) answer(first, 'It is A-7001.');
  ask(next);
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 0, data: Buffer.alloc(0) });
  return interpret(tape.events);
}

test('a prompt that has its number from work beside', () => {
  const steps = sideBySide('The order is "A-7002".');
  const [first, second] = steps.filter(({ kind }) => kind === 'llm');
  expect(strangers(steps)).toEqual([`possible mix-up: prompt ${steps.findLast(({ kind }) => kind === 'llm')?.step} says A-7002; the answer that led to it (${first?.step}) said A-7001; A-7002 appears in the answer of ${second?.step}, asked beside it`]);
  // What led to it, both, something of another form, or a number that nobody beside had brought: nothing is said.
  for (const next of ['The order is "A-7001".', 'Compare A-7001 and A-7002.', 'Ask for T-7002, please', 'And A-7003?', 'no number']) expect(strangers(sideBySide(next))).toEqual([]);
  // One after the other is how lists are worked through.
  expect(strangers(sideBySide('The order is "A-7001".', { together: false }))).toEqual([]);
});

function strangers(steps: readonly Step[]): string[] {
  return notableIn(steps).filter(({ what }) => what === 'stranger-in-prompt').map(({ text }) => text);
}

/** The call beside is answered before the prompt that names its number, or after it. */
function besideAnswered(when: 'before' | 'after'): Step[] {
  const tape = new Tape();
  const [first, second] = [askOn(tape, 'about the first mail'), askOn(tape, 'about the second mail')];
  if (when === 'before') answerOn(tape, second, 'It is A-7002.');
  answerOn(tape, first, 'It is A-7001.');
  askOn(tape, 'The order is "A-7002".');
  if (when === 'after') answerOn(tape, second, 'It is A-7002.');
  return interpret(tape.events);
}

test('of several answers beside, the prompt had its number from one that was there', () => {
  const tape = new Tape();
  const ask = (content: string): number => askOn(tape, content);
  const [first, second] = [ask('about the first mail'), ask('about the second mail')];
  const third = ask('about the third mail');
  answerOn(tape, second, 'It is A-7002.');
  answerOn(tape, first, 'It is A-7001.');
  ask('The order is "A-7002".');
  answerOn(tape, third, 'It is A-7002, too.');
  const steps = interpret(tape.events);
  const named = steps.filter(({ kind }) => kind === 'llm')[1]?.step;
  expect(strangers(steps)).toEqual([expect.stringContaining(`A-7002 appears in the answer of ${named}, asked beside it`)]);
  // The one that had it was on its way.
  expect(strangers(besideAnswered('before'))).toEqual([expect.stringMatching(/asked beside it$/)]);
  expect(strangers(besideAnswered('after'))).toEqual([expect.stringMatching(/asked beside it and still arriving \(an answer is read in pieces\)$/)]);
});

test('answers in another order than the questions', () => {
  const order = (steps: readonly Step[]): string[] => notableIn(steps).filter(({ what }) => what === 'out-of-order').map(({ text }) => text);
  const steps = sideBySide('x');
  const [one, two] = steps.filter(({ kind }) => kind === 'llm').map(({ step }) => step);
  expect(order(steps)).toEqual([`2 calls were under way together; asked in the order ${one}, ${two}, they were answered in the order ${two}, ${one}`]);
  expect(order(sideBySide('x', { together: false }))).toEqual([]);
});

test('the prompt that was told what the last of reordered answers brought', () => {
  const told = (steps: readonly Step[]): string[] => notableIn(steps).filter(({ what }) => what === 'order-told').map(({ text }) => text);
  const steps = sideBySide('So it is A-7001?');
  const [one, two, prompt] = steps.filter(({ kind }) => kind === 'llm').map(({ step }) => step);
  expect(told(steps)).toEqual([`2 calls were under way together; asked in the order ${one}, ${two}, they were answered in the order ${two}, ${one}; prompt ${prompt} was told what came of the last answer (${one}), "A-7001", and nothing that came of ${two}`]);
  const retried = sideBySide('So it is A-7001?', { again: true });
  const [refused, quick, again, after] = retried.filter(({ kind }) => kind === 'llm').map(({ step }) => step);
  expect(told(retried)).toEqual([`2 calls were under way together; asked in the order ${refused}, ${quick} (${refused} again as ${again}), they were answered in the order ${quick}, ${again}; prompt ${after} was told what came of the last answer (${again}), "A-7001", and nothing that came of ${quick}`]);
  // Told both, told neither, told what came first, told what the questions said.
  for (const next of ['A-7001 or A-7002?', 'Go on.', 'So it is A-7002?', 'What of "the first mail"?']) expect(told(sideBySide(next))).toEqual([]);
  expect(told(sideBySide('So it is A-7001?', { together: false }))).toEqual([]);
});

test('the same order placed twice, and taken twice', async () => {
  let serial = 0;
  await using server = await httpRig(async (req, res) => {
    await readAll(req);
    if (req.url === '/known') sendJson(res, 201, { order: 'o-1' });
    else sendJson(res, req.url === '/failing' && serial === 0 ? 500 : 201, { order: `o-${serial++}`, state: 'placed' });
  });
  const post = async (path: string, body: string, method = 'POST'): Promise<void> => void (await (await fetch(`${server.base}${path}`, { method, ...(method === 'POST' ? { body } : {}) })).text());
  // Once each, a second try after a failure, an answer from memory, a question.
  for (const [path, body, method] of [['/failing', 'a'], ['/failing', 'a'], ['/known', 'a'], ['/known', 'a'], ['/orders', 'x'], ['/orders', 'y'], ['/orders', '', 'GET'], ['/orders', '', 'GET']] as const) await post(path, body, method);
  expect(found(server).filter(({ what }) => what === 'duplicate-effect')).toEqual([]);
  await post('/orders', 'x');
  expect(found(server)[0]).toEqual({ what: 'duplicate-effect', text: expect.stringMatching(/^\d+ and \d+ sent the same POST \/orders; both 201, answers differ in order$/) });
  await post('/orders', 'x');
  expect(found(server)[0]?.text).toMatch(/^\d+, \d+ and \d+ sent the same POST \/orders; all 3 201, answers differ in order$/);
});

test('how it ended', () => {
  const tape = new Tape();
  tape.write(tape.start('stdio', [2]), 'one\nit broke\n');
  const open = notableIn(interpret(tape.events));
  expect(open).toMatchObject([{ what: 'ending', text: 'the recording ends here, without an exit' }]);
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 7, data: Buffer.alloc(0) });
  expect(notableIn(interpret(tape.events))).toMatchObject([{ what: 'ending', text: 'exit 7; the last line on stderr was "it broke"' }]);
});

test('files that are looked for are not said to fail', () => {
  const tape = new Tape();
  for (const key of [['stat', '/a'], ['open', '/b', 0, 438]]) tape.deliver(tape.start('fs', key), 'completed', -2);
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 0, data: Buffer.alloc(0) });
  expect(notableIn(interpret(tape.events)).map(({ text }) => text)).toEqual(['open /b failed: ENOENT']);
});
