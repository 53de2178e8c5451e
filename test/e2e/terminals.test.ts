/** What was a terminal when the run was recorded is one in the replay, and nothing else is: wherever the replay is run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TERMINAL_FILE, type Typed } from '../support/execute.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const AGENT = 'terminal-facts.mjs';
const env = { TERM: 'xterm-256color' };
const hasScript = !spawnSync('script', ['--version']).error;

it.skipIf(!hasScript)('recorded at a terminal, replayed where there is none', async () => {
  const workspace = testWorkspace();
  const bare = await workspace.bare(AGENT, { env, output: 'terminal' });
  expect(bare.stdout.toString()).toMatch(/^true,true,true /);
  const recorded = await workspace.record(AGENT, { env, output: 'terminal' });
  expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
  const replayed = await workspace.replay();
  expect(replayed.report).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
});

it.skipIf(!hasScript)('recorded where there is no terminal, replayed at one', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record(AGENT, { env });
  expect(recorded.stdout.toString()).toMatch(/^false,false,false /);
  const replayed = await workspace.replay('latest', { env, output: 'terminal' });
  expect(replayed.report).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toContain(recorded.stdout.toString());
});

/** Kernel and terminal print at moments of their own: what a replay prints is what the program printed. */
const KEYS = ['a', 'ü', '\u001b[A', '\u001b[1;5C', '\u0001', '\u001bx', '\r', 'q'];

it.skipIf(!hasScript)('keys in raw mode, another size, lines with history and completion, interrupts', { timeout: 300_000 }, async () => {
  for (let round = 0; round < Number(process.env['REPEAT'] ?? 2); round++) {
    const workspace = testWorkspace();
    const resize = (): void => void spawnSync('stty', ['-F', readFileSync(workspace.path(TERMINAL_FILE), 'utf8').trim(), 'cols', '120']);
    const typed: readonly Typed[] = [
      { question: 'keys?', answer: KEYS.join(''), after: 20 },
      { question: 'size?', answer: resize, after: 20 },
      { question: 'line? ', answer: 'appr\t\u0001x\u001b[C\u007f\r', after: 20 },
      { question: 'again? ', answer: '\u001b[A\u001b[A\u001b[B!\r', after: 20 },
      { question: '> ', answer: 'half a line\u0003', after: 20 },
      { question: 'interrupt?', answer: '\u0003', after: 20 },
    ];
    const recorded = await workspace.record('runtime/terminal-keys.mjs', { env, output: 'terminal', stdin: { typed } });
    expect(recorded.exitCode, recorded.stdout.toString()).toBe(0);
    expect(recorded.stdout.toString()).toMatch(/SIGWINCH[\s\S]*120\S* \S*30[\s\S]*interrupted "half a line"[\s\S]*SIGINT/);
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stdout.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString().replaceAll('\r', '')).toBe(ownOutput(recorded.stdout.toString()));
  }
});

/** Without what the terminal itself shows of what is typed while nobody has switched that off. */
function ownOutput(text: string): string {
  return text.replaceAll('\r', '').replace('^C', '');
}
