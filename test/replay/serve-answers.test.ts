/** Which recorded call another program's request is: never by guess. */
import { expect, test } from 'vitest';
import type { DeliveryEvent, LaneEvent, OutputEvent, StartEvent } from '../../src/model/event.ts';
import type { Network } from '../../src/replay/semantic/network.ts';
import { type Answer, Answers, type Problem } from '../../src/replay/serve/answers.ts';
import { type HttpRequest, parseRequest } from '../../src/steps/http1.ts';

/** Leaves the choice to the tape, as msw does. */
const network: Network = { ask: (question) => (question.match() ? question.answered() : question.refused('')) };

interface Call {
  readonly host?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: string;
  readonly answer: string;
}

const wire = ({ host = 'a.example', path = '/v1', body = '', headers = '' }: Partial<Call>): Buffer => Buffer.from(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`);
const asked = (call: Partial<Call>): HttpRequest => parseRequest(wire(call)) as HttpRequest;

/** One connection for each call, all at once where `together`. */
function lane(calls: readonly Call[], together = false): LaneEvent[] {
  const events: LaneEvent[] = [];
  const add = (event: Omit<StartEvent, 'seq' | 'at'> | Omit<OutputEvent, 'seq' | 'at'> | Omit<DeliveryEvent, 'seq' | 'at'>): void => void events.push({ ...event, seq: events.length, at: events.length } as LaneEvent);
  const ask = (call: Call, operation: number): void => {
    add({ type: 'start', operation, kind: 'tcp', key: JSON.stringify([call.host ?? 'a.example', 80]) });
    add({ type: 'output', operation, kind: 'write', status: 0, data: wire(call) });
  };
  const answer = (call: Call, operation: number): void => {
    const data = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${call.answer.length}\r\n\r\n${call.answer}`);
    for (const piece of [data.subarray(0, 20), data.subarray(20)]) add({ type: 'delivery', operation, kind: 'read', status: piece.length, data: piece });
  };
  if (together) for (const [index, call] of calls.entries()) ask(call, index + 1);
  for (const [index, call] of calls.entries()) {
    if (!together) ask(call, index + 1);
    answer(call, index + 1);
  }
  return events;
}

const told = (answer: Answer | Problem): string => ('code' in answer ? `${answer.code} ${answer.firstDifference?.field ?? ''}` : Buffer.concat(answer.pieces.map(({ bytes }) => bytes)).toString().split('\r\n\r\n')[1] ?? '');
const served = async (answers: Answers, ...calls: (Partial<Call> | readonly Partial<Call>[])[]): Promise<string[]> => {
  const all: string[] = [];
  for (const call of calls) all.push(told(await answers.find([call].flat().map((one) => asked(one as Partial<Call>)))));
  return all;
};

test('identical calls are answered in recorded order, and then no more', async () => {
  const answers = new Answers([lane([{ body: '{"a":1,"b":2}', answer: 'one' }, { body: '{"a":1,"b":2}', answer: 'two' }])], [], network);
  expect(await served(answers, { body: '{"b": 2, "a": 1}' }, { body: '{"a":1,"b":2}' }, { body: '{"a":1,"b":2}' })).toEqual(['one', 'two', 'REPLAY_EXHAUSTED call']);
  expect(answers.unused).toEqual([]);
});

test.each([
  ['a reordered list', '{"a":[1,2]}', '{"a":[2,1]}', 'REPLAY_MISMATCH body.a[0]'],
  ['another type', '{"a":1}', '{"a":"1"}', 'REPLAY_MISMATCH body.a'],
  ['a member more', '{"a":1}', '{"a":1,"b":2}', 'REPLAY_MISMATCH body.b'],
])('%s is another call', async (_name, recorded, now, expected) => {
  const answers = new Answers([lane([{ body: recorded, answer: 'one' }])], [], network);
  expect(await served(answers, { body: now }, { path: '/v2', body: recorded }, { host: 'b.example', body: recorded })).toEqual([expected, 'REPLAY_MISMATCH url', 'REPLAY_EXHAUSTED call']);
  expect(answers.unused).toMatchObject([{ name: 'POST http://a.example/v1' }]);
});

test('calls that were under way together, alike but for what is ignored, are told apart by that or not at all', async () => {
  const calls = [{ headers: 'x-id: 1\r\n', answer: 'one' }, { headers: 'x-id: 2\r\n', answer: 'two' }];
  const answers = new Answers([lane(calls, true)], [{ header: 'x-id' }], network);
  expect(await served(answers, { headers: 'x-id: 3\r\n' }, { headers: 'x-id: 2\r\n' }, { headers: 'x-id: 3\r\n' })).toEqual(['REPLAY_MISMATCH ambiguous', 'two', 'one']);
});

test('of two addresses behind one base URL, the one that has the answer; where both have one, neither', async () => {
  const both = (path: string): Partial<Call>[] => [{ path, host: 'a.example' }, { path, host: 'b.example' }];
  const answers = new Answers([lane([{ path: '/x', answer: 'of a' }, { host: 'b.example', path: '/y', answer: 'of b' }, { path: '/z', answer: 'of a' }, { host: 'b.example', path: '/z', answer: 'of b' }])], [], network);
  expect(answers.origins.map(({ authority }) => authority)).toEqual(['a.example', 'b.example']);
  expect(await served(answers, both('/y'), both('/x'), both('/z'))).toEqual(['of b', 'of a', 'REPLAY_MISMATCH ambiguous']);
  expect(answers.unused).toHaveLength(2);
});

test('threads ask in no order of their own', async () => {
  const answers = new Answers([lane([{ answer: 'one' }]), lane([{ answer: 'two' }])], [], network);
  expect(await served(answers, {})).toEqual(['REPLAY_MISMATCH ambiguous']);
  const same = new Answers([lane([{ answer: 'one' }]), lane([{ answer: 'one' }])], [], network);
  expect(await served(same, {}, {}, {})).toEqual(['one', 'one', 'REPLAY_EXHAUSTED call']);
});

test('what a library adds of its own does not count; a key does', async () => {
  const answers = new Answers([lane([{ headers: 'accept-language: *\r\nsec-fetch-mode: cors\r\nauthorization: Bearer a\r\n', answer: 'one' }])], [], network);
  expect(await served(answers, { headers: 'authorization: Bearer b\r\n' }, { headers: 'authorization: Bearer a\r\nuser-agent: curl\r\n' })).toEqual(['REPLAY_MISMATCH headers.authorization', 'one']);
});
