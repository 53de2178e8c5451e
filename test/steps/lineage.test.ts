import { expect, test } from 'vitest';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { Tape } from './support/traffic.ts';

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`;
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Each step by name, with the name of the step that led to it. */
function ledBy(steps: readonly Step[]): Record<string, string | null> {
  const names = new Map(steps.map((step) => [step.step, step.name]));
  return Object.fromEntries(steps.map((step) => [step.name, step.after === null ? null : (names.get(step.after) ?? '?')]));
}

test('two threads of work on one loop are told apart', () => {
  const tape = new Tape();
  const [first, second] = [tape.start('timer', [10]), tape.start('timer', [20])];
  tape.deliver(first, 'fired');
  const a = tape.start('tcp', ['h', 80]);
  tape.deliver(second, 'fired');
  const b = tape.start('tcp', ['h', 80]);
  // Written in the turns of their own connections, in the other order.
  tape.deliver(b, 'connected');
  tape.write(b, request('/b'));
  tape.deliver(a, 'connected');
  tape.write(a, request('/a'));
  tape.read(b, RESPONSE);
  tape.write(tape.start('stdio', [1]), 'after b');
  tape.write(b, request('/b2'));
  tape.read(a, RESPONSE);
  tape.value('entropy', 0, ['randomUUID']);
  const steps = interpret(tape.events);
  expect(ledBy(steps)).toEqual({
    'setTimeout 10 ms': null, 'setTimeout 20 ms': null, 'GET http://h/a': 'setTimeout 10 ms', 'GET http://h/b': 'setTimeout 20 ms',
    stdout: 'GET http://h/b', 'GET http://h/b2': 'GET http://h/b', 'crypto.randomUUID': 'GET http://h/a',
  });
  const [one] = steps.filter(({ name }) => name === 'GET http://h/a');
  expect(tape.events[one?.ended ?? 0]).toMatchObject({ type: 'delivery', kind: 'read', data: Buffer.from(RESPONSE) });
  expect(steps.find(({ name }) => name === 'GET http://h/b2')?.ended).toBeNull();
});

test('names that are looked up, connections and jobs that are no steps are passed through', () => {
  const tape = new Tape();
  const timer = tape.start('timer', [5]);
  tape.deliver(timer, 'fired');
  const zip = tape.start('zlib', ['gzip']);
  tape.deliver(zip, 'completed');
  const tcp = tape.start('tcp', ['h', 80]);
  tape.deliver(tcp, 'connected');
  // In the turn in which the connection came up, before it asks.
  tape.value('entropy', 0, ['randomUUID']);
  tape.write(tcp, request('/x'));
  expect(ledBy(interpret(tape.events))).toEqual({ 'setTimeout 5 ms': null, 'crypto.randomUUID': 'setTimeout 5 ms', 'GET http://h/x': 'setTimeout 5 ms' });
});

test('a step never comes after itself or a later one', () => {
  const tape = new Tape();
  const interval = tape.start('timer', [5]);
  for (let round = 0; round < 3; round++) {
    tape.deliver(interval, 'fired');
    const tcp = tape.start('tcp', ['h', 80]);
    tape.deliver(tcp, 'connected', -111);
  }
  const steps = interpret(tape.events);
  expect(steps.length).toBe(4);
  for (const { step, after } of steps) expect(after === null || after < step).toBe(true);
});
