/** Recordings of every Node version replay by meaning on every Node version. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from '../support/paths.ts';
import { execute } from '../support/execute.ts';
import { RUNTIMES } from '../support/replay-by-meaning.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const STORE = join(import.meta.dirname, 'by-node');
const IDENTITY = join(import.meta.dirname, 'v1', 'identity');

interface Manifest {
  readonly id: string;
  readonly node: string;
}

const recordings = readdirSync(join(STORE, 'runs')).map((run) => JSON.parse(readFileSync(join(STORE, 'runs', run, 'manifest.json'), 'utf8')) as Manifest);
const majorOf = (version: string): string => /\d+/.exec(version)?.[0] as string;

it('there is one of each version that is supported', () => {
  expect(recordings.map(({ node }) => majorOf(node)).sort()).toEqual(['20', '22', '24', '26']);
});

describe.each(recordings)('recorded on $node', ({ id, node }) => {
  it.each([...RUNTIMES])('replayed on Node %s', async (_major, binary) => {
    const workspace = testWorkspace();
    const report = workspace.path('report.json');
    // On the version that recorded it, too, it is compared by meaning.
    const { exitCode, stdout, stderr } = await execute({
      program: process.execPath, args: [CLI, 'replay', id, '--store', STORE, '--loose', '--report', report, '--node', binary, '--', 'node', join(STORE, 'agent.mjs')],
      cwd: workspace.folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: IDENTITY },
    });
    expect(exitCode, stderr.toString()).toBe(0);
    expect(stdout.toString()).toBe(readFileSync(join(STORE, `node-${majorOf(node)}.txt`), 'utf8'));
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ verdict: 'identical', fidelity: 'semantic', drifts: [], liveCalls: 0 });
  });
});
