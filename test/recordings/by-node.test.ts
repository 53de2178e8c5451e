/** Recordings of every Node version, and all others that are kept here, replay by meaning on every Node version. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, ROOT } from '../support/paths.ts';
import { execute } from '../support/execute.ts';
import { RUNTIMES } from '../support/replay-by-meaning.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const STORE = join(import.meta.dirname, 'by-node');
const SAMPLES = join(import.meta.dirname, 'samples');
const IDENTITY = join(import.meta.dirname, 'v1', 'identity');

interface Manifest {
  readonly id: string;
  readonly node: string;
  readonly agent: string;
  readonly exitCode: number;
}

const manifestsIn = (store: string): Manifest[] => readdirSync(join(store, 'runs')).map((run) => JSON.parse(readFileSync(join(store, 'runs', run, 'manifest.json'), 'utf8')) as Manifest);
const recordings = manifestsIn(STORE);
const majorOf = (version: string): string => /\d+/.exec(version)?.[0] as string;

it('there is one of each version that is supported', () => {
  expect(recordings.map(({ node }) => majorOf(node)).sort()).toEqual(['20', '22', '24', '26']);
});

interface Kept extends Pick<Manifest, 'id' | 'exitCode'> {
  readonly store: string;
  readonly program: string;
}

/** On the version that recorded it, too, it is compared by meaning. @returns what it printed */
async function replayOn(binary: string, { store, id, program, exitCode: expected }: Kept): Promise<string> {
  const workspace = testWorkspace();
  const report = workspace.path('report.json');
  const { exitCode, stdout, stderr } = await execute({
    program: process.execPath, args: [CLI, 'replay', id, '--store', store, '--loose', '--report', report, '--node', binary, '--', 'node', program],
    cwd: workspace.folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: IDENTITY },
  });
  expect(exitCode, `${binary}: ${stderr.toString()}`).toBe(expected);
  expect(JSON.parse(readFileSync(report, 'utf8')), binary).toMatchObject({ verdict: 'identical', fidelity: 'semantic', drifts: [], liveCalls: 0 });
  return stdout.toString();
}

describe.each(recordings)('recorded on $node', ({ id, node }) => {
  it.each([...RUNTIMES])('replayed on Node %s', async (_major, binary) => {
    expect(await replayOn(binary, { store: STORE, id, program: join(STORE, 'agent.mjs'), exitCode: 0 })).toBe(readFileSync(join(STORE, `node-${majorOf(node)}.txt`), 'utf8'));
  });
});

const others = [
  ...manifestsIn(SAMPLES).map(({ agent, ...run }): Kept => ({ ...run, store: SAMPLES, program: join(ROOT, 'samples', agent, 'agent.mjs') })),
  ...readdirSync(import.meta.dirname).filter((name) => /^v\d+$/.test(name)).map((name) => join(import.meta.dirname, name)).flatMap((store) => manifestsIn(store).map((run): Kept => ({ ...run, store, program: join(store, 'agent.mjs') }))),
];

it.each(others)('$id, of $program, on every Node version', async (recording) => {
  const printed = await Promise.all([...RUNTIMES.values()].map((binary) => replayOn(binary, recording)));
  expect(printed[0]).not.toBe('');
  expect(new Set(printed).size).toBe(1);
});
