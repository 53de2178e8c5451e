import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { removeWritten } from '../support/agent-files.ts';
import { testWorkspace } from '../support/test-workspace.ts';

it('S22 files: what was written, appended and removed stays as it is when the run is replayed, also where it never was', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record('cases/s22-files.mjs');
  expect(recorded.stdout.toString()).toBe('false refund issued\n\n');
  expect(recorded.ownStderr).toBe('');
  expect(readFileSync(workspace.path('audit.log'), 'utf8')).toBe('refund issued\n');

  const before = statSync(workspace.path('audit.log'));
  workspace.write('tmp.txt', 'somebody else’s');
  for (const step of ['with everything there', 'in an empty folder']) {
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout).toEqual(recorded.stdout);
    if (step === 'in an empty folder') break;
    expect(statSync(workspace.path('audit.log'))).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs, ctimeMs: before.ctimeMs });
    expect(readFileSync(workspace.path('tmp.txt'), 'utf8')).toBe('somebody else’s');
    removeWritten(workspace);
  }
  expect([existsSync(workspace.path('audit.log')), existsSync(workspace.path('tmp.txt'))]).toEqual([false, false]);

  const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: Record<string, unknown>[] };
  const files = steps.filter(({ boundary }) => boundary === 'fs');
  expect(files[0]).toMatchObject({ kind: 'tool', name: 'writeFile tmp.txt', input: { operation: 'writeFile', path: 'tmp.txt' }, output: { content: 'scratch' }, error: null });
  expect(files.find(({ name }) => name === 'appendFile audit.log')).toMatchObject({ input: { operation: 'appendFile', path: 'audit.log' }, output: { content: 'refund issued\n' } });
  expect(files.find(({ name }) => name === 'readFile audit.log')).toMatchObject({ output: { content: 'refund issued\n' } });
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining([expect.stringMatching(/^(?:rm|unlink) tmp\.txt$/)]));
});
