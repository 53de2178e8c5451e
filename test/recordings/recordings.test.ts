/** Recordings of every journal format: what was recorded once replays for ever. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { execute } from '../support/execute.ts';
import { CLI } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { FORMAT_VERSION } from '../../src/journal/format.ts';

const formats = readdirSync(import.meta.dirname).filter((name) => /^v\d+$/.test(name));

it('there is a recording of the current format', () => {
  expect(formats).toContain(`v${FORMAT_VERSION}`);
});

it.each(formats)('the recording of format %s opens, reads and replays', async (format) => {
  const folder = join(import.meta.dirname, format);
  const cli = (args: readonly string[]): ReturnType<typeof execute> =>
    execute({ program: process.execPath, args: [CLI, ...args], cwd: testWorkspace().folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: join(folder, 'identity') } });
  const checked = await cli(['check', '--all', '--store', folder]);
  expect(checked.exitCode, checked.stdout.toString()).toBe(0);
  const shown = await cli(['show', 'latest', '--json', '--store', folder]);
  const { run } = JSON.parse(shown.stdout.toString()) as { run: { node: string } };
  // Exactly on the recording's own Node, by meaning on any other; which of the two is said.
  const replayed = await cli(['replay', 'latest', '--store', folder, '--', 'node', join(folder, 'agent.mjs')]);
  expect(replayed, replayed.stderr.toString()).toMatchObject({ exitCode: 5, stdout: readFileSync(join(folder, 'stdout.txt')) });
  if (process.version !== run.node) expect(replayed.stderr.toString()).toContain(`recorded with Node ${run.node}`);
});
