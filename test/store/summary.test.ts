/** The summary beside a run: a convenience that is never believed once anything has changed. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createKeyPair } from '../../src/journal/crypto.ts';
import { identities } from '../../src/store/keyring.ts';
import { type RunSummary, SummaryFile } from '../../src/store/summary.ts';
import { ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const RECORDINGS = join(ROOT, 'test/recordings');
const [RUN, OTHER] = ['01a228b1-6b53-790d-a41b-fd80b622c9ec', '01a228b1-8739-7e72-b799-894c39801698'];
const IDENTITY = join(RECORDINGS, 'v1/identity');
const SUMMARY: RunSummary = { command: ['node', 'agent.mjs'], cwd: '/a', steps: 12345, llmCalls: 1, toolCalls: 2, durationMs: 3, uncaptured: [] };

let workspace: Workspace;
let store: string;
let folder: string;
let journal: string;

beforeEach(() => {
  workspace = testWorkspace({ REPLAY_HARNESS_IDENTITY: IDENTITY });
  ({ store } = workspace);
  cpSync(join(RECORDINGS, 'samples'), store, { recursive: true });
  folder = join(store, 'runs', RUN as string);
  journal = join(folder, 'lane-0.0000.journal');
});

const fileIn = (at: string, maker = 'this', keys = identities({ REPLAY_HARNESS_IDENTITY: IDENTITY })): SummaryFile => new SummaryFile(at, { maker, identities: keys });

/** What `runs` says, by run. */
async function listed(): Promise<Record<string, { steps: number; llmCalls: number; toolCalls: number; command: string[] }>> {
  const { stdout, exitCode } = await workspace.cli(['runs', '--json']);
  expect(exitCode).toBe(0);
  const runs = JSON.parse(stdout.toString()) as { id: string; steps: number; llmCalls: number; toolCalls: number; command: string[] }[];
  return Object.fromEntries(runs.map((run) => [run.id, run]));
}

test('is read back, by its reader only, and says nothing in clear', () => {
  expect(fileIn(folder).read()).toBeUndefined();
  fileIn(folder).write(SUMMARY);
  expect(fileIn(folder).read()).toEqual(SUMMARY);
  expect(statSync(join(folder, 'summary')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'summary')).includes('agent.mjs')).toBe(false);
  expect(fileIn(folder, 'this', [createKeyPair().identity]).read()).toBeUndefined();
  expect(fileIn(folder, 'this', []).read()).toBeUndefined();
});

test('is not read after a change of the program, of the journal, or of itself', () => {
  fileIn(folder).write(SUMMARY);
  expect(fileIn(folder, 'another').read()).toBeUndefined();
  const { atime, mtime } = statSync(journal);
  utimesSync(journal, atime, new Date(mtime.getTime() + 1));
  expect(fileIn(folder).read()).toBeUndefined();
  fileIn(folder).write(SUMMARY);
  const file = join(folder, 'summary');
  const bytes = readFileSync(file);
  for (const at of [0, 20, bytes.length - 1]) {
    writeFileSync(file, bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    expect(fileIn(folder).read()).toBeUndefined();
  }
  for (const length of [0, 5, 27]) {
    writeFileSync(file, bytes.subarray(0, length));
    expect(fileIn(folder).read()).toBeUndefined();
  }
  writeFileSync(file, bytes);
  expect(fileIn(folder).read()).toEqual(SUMMARY);
  // Of another run, which has another key.
  cpSync(file, join(store, 'runs', OTHER as string, 'summary'));
  expect(fileIn(join(store, 'runs', OTHER as string)).read()).toBeUndefined();
});

test('runs says the same with and without it, and whatever becomes of it', async () => {
  const first = await listed();
  expect(first[RUN as string]).toMatchObject({ steps: 58, llmCalls: 4, toolCalls: 0 });
  for (const run of Object.keys(first)) expect(existsSync(join(store, 'runs', run, 'summary'))).toBe(true);
  expect(await listed()).toEqual(first);
  writeFileSync(join(folder, 'summary'), 'nonsense');
  expect(await listed()).toEqual(first);
  // A store where nothing can be written.
  rmSync(join(folder, 'summary'));
  mkdirSync(join(folder, 'summary', 'in-the-way'), { recursive: true });
  expect(await listed()).toEqual(first);
});

test('check does not believe it', async () => {
  await listed();
  const bytes = readFileSync(journal);
  const { atime, mtime } = statSync(journal);
  writeFileSync(journal, bytes.map((byte, index) => (index === bytes.length - 2000 ? byte ^ 1 : byte)));
  utimesSync(journal, atime, mtime);
  const checked = await workspace.cli(['check', RUN as string]);
  expect(checked.exitCode).toBe(4);
  expect(checked.stdout.toString()).toContain('DAMAGED');
  expect((await workspace.cli(['show', RUN as string])).exitCode).toBe(4);
});

test('a run that was killed gets none, and show tells that it has no end', async () => {
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), status: 'recording', exitCode: null, durationMs: null }));
  const bytes = readFileSync(journal);
  writeFileSync(journal, bytes.subarray(0, Math.floor(bytes.length / 2)));
  renameSync(journal, journal.replace(/journal$/, 'open'));
  const shown = (await workspace.cli(['show', RUN as string])).stdout.toString();
  expect(shown).toMatch(/^run 01a228b1-6b53-.*truncated  3 notable\n/);
  expect(shown).toMatch(/Notable[^]*\n *\d+ {2}the recording ends here, without an exit\n/);
  await listed();
  expect(existsSync(join(folder, 'summary'))).toBe(false);
});
