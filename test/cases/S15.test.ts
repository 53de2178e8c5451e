import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

const withoutIds = (stdout: string): string => stdout.replace(/^(\w+) .*$/gm, '$1');

it.each([['a', 3], ['b', 4], ['c', 1]] as const)('S15 (%s) an early end loses nothing: exit code %i', async (ending, exitCode) => {
  const { recorded, workspace } = await holdsBaseRule('cases/s15-endings.mjs', withoutIds, { args: [ending] });
  expect(recorded.exitCode).toBe(exitCode);
  const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ status: string; exitCode: number }];
  expect(run).toMatchObject({ status: 'complete', exitCode });
});
