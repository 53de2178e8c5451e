/** What a recording holds may be anybody's words: the terminal must not obey it, and lines must fit. */
import { expect, test } from 'vitest';
import { terminalOf } from '../../src/cli/render/terminal.ts';
import { visible } from '../../src/cli/render/text.ts';
import { renderStep, renderTrajectory, type RunHeader } from '../../src/cli/render/trajectory.ts';
import { widthOf, wrap } from '../../src/cli/render/width.ts';
import { interpret } from '../../src/steps/classify.ts';
import { encodeOutcome } from '../../src/model/value.ts';
import { httpRig, readAll } from './support/http.ts';
import { completion, sendJson } from './support/models.ts';
import { post } from './support/steps.ts';
import { runToolLoop, toolServer } from './support/tool-loop.ts';
import { Tape } from './support/traffic.ts';

/** Sets a title, colours, moves, clears, ends a line early, turns text around, hides text. */
const EVIL = '\u001b]0;owned\u0007\u001b[2J\u001b[31m\u009b1A\r\b\u0000\u202e\u2066\u200b\u2028\u061c\ufeff\u{e0041}\u00ad\ud800X';
const OURS = /\u001b\[(?:0|1|2|31|32|33|34|35|36)m/g;
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

/** Every text in a value, keys too, with something evil in it. */
function poisoned<T>(value: T, keep: ReadonlySet<string>): T {
  if (typeof value === 'string') return (value + EVIL) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => poisoned(item, keep)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, keep.has(key) ? (member as unknown) : poisoned(member as unknown, keep)])) as T;
}

test('nothing of a recording reaches the terminal as a command', async () => {
  const tape = new Tape();
  tape.write(tape.start('stdio', [1]), EVIL);
  tape.value('fs-value', 0, ['readFileUtf8', `a${EVIL}.json`, 0], encodeOutcome({ result: EVIL }));
  tape.deliver(tape.start('tcp', [EVIL, 80]), 'connected', -111);
  {
    await using server = await toolServer(tape);
    await runToolLoop(server);
  }
  {
    await using server = await httpRig(async (req, res) => {
      await readAll(req);
      if (req.url?.endsWith('/embeddings')) sendJson(res, 200, { data: [{ embedding: [1] }], model: 'e' });
      else sendJson(res, 200, completion({ content: EVIL, refusal: EVIL, reasoning: EVIL }, EVIL));
    }, tape);
    await post(`${server.base}/v1/embeddings`, { model: EVIL, input: [EVIL] });
    for (const role of ['one', 'two']) await post(`${server.base}/v1/chat/completions`, { model: EVIL, messages: [{ role: 'system', content: `You are ${role}${EVIL}` }, { role: EVIL, content: EVIL }] });
  }
  tape.add({ type: 'note', effect: 'refused', name: EVIL, stack: EVIL });
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 1, data: Buffer.alloc(0) });
  const real = interpret(tape.events);
  const run: RunHeader = poisoned({ id: 'r', name: 'n', agent: 'a', command: ['node', 'a.mjs'], status: 'complete', exitCode: 1, signal: 'S', node: 'v20', startedAt: '2026-11-29T00:00:00Z', durationMs: 1 }, new Set());
  // What a renderer chooses its way by, and hashes of our own, stay as they are; all else that it prints is evil.
  const all = poisoned(real, new Set(['kind', 'boundary', 'role', 'timer', 'startedAt', 'key', 'checksum', 'servedByBasis']));
  for (const steps of [real, all]) {
    for (const color of [true, false]) {
      for (const options of [{ color }, { color, verbose: true }, { color, columns: 60 }]) expect(renderTrajectory(run, steps, options).replace(OURS, '')).not.toMatch(OBEYED);
      for (const step of steps) expect(renderStep(step, { color }).replace(OURS, '').replaceAll('\t', '')).not.toMatch(OBEYED);
    }
    expect(renderTrajectory(run, steps, { color: false })).not.toContain('\u001b');
  }
  expect(visible(EVIL)).toContain('\\x1b]0;owned\\x07');
});

test('lines fit the terminal, in columns and not in characters', () => {
  const texts = ['plain words that go on for a while, and then some more of them', '漢字は幅が二つある。それでも行は収まる、いつでも、どこでも。', 'wörter mit e\u0301 und 👩‍🚀 und 🇩🇪 und 🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂', 'x'.repeat(100), '', 'ends with spaces          '];
  const styled = texts.map((text) => `\u001b[31m${text.slice(0, 8)}\u001b[0m${text.slice(8)}\u001b[2m!\u001b[0m`);
  for (const text of [...texts, ...styled]) {
    for (const columns of [20, 33, 80]) {
      const pieces = wrap(text, columns);
      for (const piece of pieces) expect(widthOf(piece), JSON.stringify(piece)).toBeLessThanOrEqual(columns);
      const letters = (line: string): string => line.replace(/\u001b\[\d+m|\s/g, '');
      expect(letters(pieces.join(''))).toBe(letters(text));
      // No colour runs into the next line's margin.
      for (const piece of pieces) expect((piece.match(/\u001b\[[1-9]\d*m/g) ?? []).length).toBeLessThanOrEqual((piece.match(/\u001b\[0m/g) ?? []).length);
    }
  }
  expect([widthOf('漢字'), widthOf('e\u0301'), widthOf('🙂'), widthOf('\u001b[31mred\u001b[0m'), widthOf('→ “x” …')]).toEqual([4, 1, 2, 3, 7]);
});

test('a narrow terminal gets narrow lines, with the margin kept', async () => {
  await using server = await httpRig(async (req, res) => {
    await readAll(req);
    sendJson(res, 200, completion({ content: 'many words '.repeat(12) }));
  });
  await post(`${server.base}/v1/chat/completions`, { model: 'm', messages: [{ role: 'user', content: '漢字 '.repeat(30) }] });
  const run: RunHeader = { id: 'r', agent: 'a', command: 'node a.js', status: 'complete', exitCode: 0, node: 'v20', startedAt: '', durationMs: 1 };
  const lines = renderTrajectory(run, interpret(server.tape.events), { color: false, columns: 64 }).split('\n');
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(64);
  const heading = lines.findIndex((line) => line.includes('WHAT'));
  const margin = (lines[heading] as string).indexOf('WHAT');
  for (const line of lines.slice(heading + 1, lines.indexOf('', heading))) expect(line.slice(0, margin)).toMatch(/^[\s\d+,]*$/);
});

test('colours on a terminal, and where they are asked for', () => {
  const [terminal, pipe] = [{ isTTY: true, columns: 90 }, {}];
  expect(terminalOf(terminal, {})).toEqual({ color: true, columns: 90 });
  expect(terminalOf(pipe, {})).toEqual({ color: false, columns: undefined });
  expect(terminalOf(pipe, { FORCE_COLOR: '1' }).color).toBe(true);
  for (const env of [{ NO_COLOR: '1' }, { NO_COLOR: '1', FORCE_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }]) expect(terminalOf(terminal, env).color).toBe(false);
  expect(terminalOf(terminal, { NO_COLOR: '' }).color).toBe(true);
});
