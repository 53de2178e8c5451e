import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { Typed } from '../support/execute.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

const AFTER_MS = 300;
const REASON = 'jäßchen 漢字 👍';

/** The replays have nothing at standard input and no terminal; whoever waited for an answer would wait for ever. */
const answers = (enter: string): Typed[] => [{ question: 'approve? ', answer: `y${enter}`, after: AFTER_MS }, { question: 'reason? ', answer: REASON + enter, after: 20 }];
const aside = (stdout: string): string => withoutChance(stdout).replace(/waited \d+/, 'waited MS');

function expectDialogue(stdout: string): void {
  const [, waited] = /waited (\d+) \[ 'y' \]/.exec(stdout) ?? [];
  expect(Number(waited)).toBeGreaterThanOrEqual(AFTER_MS - 1);
  expect(stdout).toContain(`12 Approved: y, because: ${REASON}`);
}

it('S30 answers that a person typed into a pipe go into the next prompt again', async () => {
  const { recorded, requests } = await holdsBaseRule('cases/s30-approval.mjs', aside, { stdin: { typed: answers('\n') } });
  expectDialogue(recorded.stdout.toString());
  expect(recorded.stdout.toString()).toMatch(/^undefined undefined undefined undefined Socket\n/);
  expect(requests).toHaveLength(3);
});

it.skipIf(spawnSync('script', ['--version']).error)('S30 the same at a terminal', async () => {
  const { recorded } = await holdsBaseRule('cases/s30-approval.mjs', aside, { stdin: { typed: answers('\r') }, output: 'terminal' });
  expectDialogue(recorded.stdout.toString());
  expect(recorded.stdout.toString()).toMatch(/^true true 100 30 ReadStream\n/);
  expect(recorded.stdout.toString()).toContain(` ${REASON} false `);
});
