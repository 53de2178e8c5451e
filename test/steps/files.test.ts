import { expect, test } from 'vitest';
import { encodeArguments, encodeOutcome } from '../../src/model/value.ts';
import { interpret, rawBytes, type Step } from '../../src/steps/classify.ts';
import { Tape } from './support/traffic.ts';

const APPEND = 1089;
const done = encodeOutcome({ result: undefined });
const shown = (tape: Tape): Partial<Step>[] => interpret(tape.events).map(({ kind, boundary, name, summary, input, output, error }) => ({ kind, boundary, name, summary, input, output, error }));
const written = (tape: Tape, operation: number, data: string | Buffer): number => tape.add({ type: 'output', operation, kind: 'file-write', status: 0, data: Buffer.from(data) });

test('a file written at once, and one that cannot be', () => {
  const tape = new Tape();
  written(tape, 0, 'all good\n');
  tape.value('fs-value', 0, ['writeFileUtf8', 'report.md', 577, 438], done);
  written(tape, 0, 'x');
  tape.value('fs-value', 0, ['writeFileUtf8', 'absent/x', 577, 438], encodeOutcome({ error: Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', errno: -2, syscall: 'open', path: 'absent/x' }) }));
  expect(shown(tape)).toEqual([
    { kind: 'tool', boundary: 'fs', name: 'writeFile report.md', summary: 'writeFile report.md → 9 characters', input: { operation: 'writeFile', path: 'report.md' }, output: { content: 'all good\n' }, error: null },
    { kind: 'tool', boundary: 'fs', name: 'writeFile absent/x', summary: 'writeFile absent/x → ENOENT', input: { operation: 'writeFile', path: 'absent/x' }, output: null, error: { code: 'ENOENT', message: 'ENOENT: no such file', syscall: 'open', path: 'absent/x' } },
  ]);
  expect(rawBytes(tape.events, 1)?.input.toString()).toBe('all good\n');
});

test('all that is written to one descriptor is one step, and its key says what was written', () => {
  const pieces = (...parts: string[]): Tape => {
    const tape = new Tape();
    tape.deliver(tape.start('fs', ['open', 'audit.log', APPEND, 438]), 'completed', 0, encodeOutcome({ result: 21 }));
    for (const part of parts) {
      const write = tape.start('fs', ['writeString', 21, part.length, null]);
      written(tape, write, part);
      tape.deliver(write, 'completed', 0, encodeOutcome({ result: part.length }));
    }
    tape.deliver(tape.start('fs', ['close', 21]), 'completed', 0, done);
    return tape;
  };
  expect(shown(pieces('refund ', 'issued\n'))).toMatchObject([{ name: 'appendFile audit.log', output: { content: 'refund issued\n' } }]);
  const [first, second, third] = [pieces('a', 'b'), pieces('a', 'b'), pieces('a', 'c')].map((tape) => interpret(tape.events)[0]?.key);
  expect([second === first, third === first]).toEqual([true, false]);
});

test('jobs of Node 26, folders entry by entry, two paths, large reads in pieces', () => {
  const tape = new Tape();
  const job = tape.start('fs', ['writeFile', 'a.bin', 'a', null]);
  written(tape, job, Buffer.from([0, 255]));
  tape.deliver(job, 'completed', 0, done);
  tape.value('fs-value', 0, ['opendir', 'folder', 1], encodeOutcome({ result: { path: 'folder' } }));
  tape.value('fs-value', 0, ['dir.read', 1, 32], encodeOutcome({ result: { names: ['x.txt', 'sub'], types: [1, 2], parents: undefined } }));
  tape.value('fs-value', 0, ['dir.read', 1, 32], encodeOutcome({ result: null }));
  tape.value('fs-value', 0, ['dir.close', 1], done);
  tape.value('fs-value', 0, ['rename', 'a.bin', 'b.bin'], done);
  tape.value('fs-value', 0, ['symlink', 'b.bin', 'link', 0], done);
  tape.value('fs-value', 0, ['readFileUtf8', 'large.txt', 0], encodeOutcome({ result: { pieces: 2, result: 8 } }));
  tape.value('fs-value', 0, ['piece'], encodeOutcome({ result: 'first ' }));
  tape.value('fs-value', 0, ['piece'], encodeOutcome({ result: 'and last' }));
  expect(shown(tape)).toMatchObject([
    { name: 'appendFile a.bin', output: { content: { base64: 'AP8=', bytes: 2 } } },
    { name: 'readdir folder', summary: 'readdir folder → 2 entries', output: { entries: [{ name: 'x.txt', type: 'file' }, { name: 'sub', type: 'directory' }] } },
    { name: 'rename a.bin to b.bin', input: { operation: 'rename', path: 'a.bin', to: 'b.bin' } },
    { name: 'symlink link to b.bin', input: { operation: 'symlink', path: 'link', to: 'b.bin' } },
    { name: 'readFile large.txt', output: { content: 'first and last' } },
  ]);
});

test('each change of a watched file', () => {
  const tape = new Tape();
  const folder = tape.start('watch', ['watch', 'out', true, false, 'utf8']);
  const polled = tape.start('watch', ['watchFile', 'log.txt', 5007]);
  tape.deliver(folder, 'changed', 0, encodeArguments([0, 'rename', 'e.txt']));
  tape.deliver(polled, 'changed', 0, encodeArguments([0, new Float64Array(36)]));
  tape.deliver(folder, 'changed', -2, encodeArguments([-2, undefined, 'out']));
  expect(shown(tape)).toMatchObject([
    { kind: 'message', boundary: 'fs', name: 'watch out', summary: 'watch out → rename e.txt', output: { event: 'rename', file: 'e.txt' }, error: null },
    { name: 'watchFile log.txt', output: { event: 'change' } },
    { name: 'watch out', summary: 'watch out → ENOENT', output: null, error: { code: 'ENOENT' } },
  ]);
});
