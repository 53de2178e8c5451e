/** `verify FILES…`: recordings that lie in git as bundles, on a host that has neither the store nor its keys. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { desk, type Desk, QUIET } from '../support/desk.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Verified {
  readonly exitCode: number;
  readonly summary: string;
  readonly runs: readonly { readonly id: string | null; readonly file: string | null; readonly name: string | null; readonly tags: Readonly<Record<string, string>>; readonly verdict: string; readonly said: string; readonly report: { readonly liveCalls: number; readonly fidelity: string } | null }[];
}

/** The program, and two bundles of it: on stand-ins and sealed. */
async function project(workspace: Workspace, place: Desk): Promise<string> {
  const program = workspace.copy('order-desk.mjs');
  mkdirSync(workspace.path('recordings'));
  for (const [name, ...how] of [['plain'], ['sealed', '--with-secrets']] as const) {
    const { exitCode, stderr } = await workspace.cli(['record', '--name', name, '--tag', `kind=${name}`, '--agent', 'desk', '--', process.execPath, program], { env: { DESK_URL: place.url } });
    expect(exitCode, stderr.toString()).toBe(0);
    const exported = await workspace.cli(['export', 'latest', '--output', workspace.path(`recordings/${name}.replay`), ...how]);
    expect(exported.exitCode, exported.stderr.toString()).toBe(0);
  }
  return program;
}

test('a folder of bundles, on stand-ins and sealed; damaged and foreign ones by name', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const program = await project(workspace, place);
  place.open({ ...QUIET, status: 'lost' });
  const command = ['--', process.execPath, program] as const;
  const elsewhere = { REPLAY_HARNESS_STORE: workspace.path('elsewhere') };

  const whole = await workspace.cli(['verify', 'recordings', '--json', ...command], { env: elsewhere });
  const said = JSON.parse(whole.stdout.toString()) as Verified;
  expect(whole.exitCode, JSON.stringify(said)).toBe(0);
  expect(said.runs.map(({ file, name, verdict, report }) => [file, name, verdict, report?.fidelity, report?.liveCalls])).toEqual([
    ['recordings/plain.replay', 'plain', 'identical', 'exact', 0],
    ['recordings/sealed.replay', 'sealed', 'identical', 'exact', 0],
  ]);
  expect(existsSync(workspace.path('elsewhere'))).toBe(false);

  // A host that has no keys: what is sealed cannot be opened there, and the other one is verified.
  const stranger = { ...elsewhere, XDG_CONFIG_HOME: workspace.path('strange') };
  const strange = await workspace.cli(['verify', 'recordings/plain.replay', 'recordings/sealed.replay', ...command], { env: stranger });
  expect(strange.exitCode, strange.stderr.toString()).toBe(2);
  expect(strange.stderr.toString()).toMatch(/^✓ \d\/2 recordings\/plain\.replay plain \(desk\) [0-9a-f-]{36} /m);
  expect(strange.stdout.toString()).toMatch(/✗ recordings\/sealed\.replay\n {2}replay-harness: recordings\/sealed\.replay cannot be opened: [^]*2 runs: 1 identical, 1 failed/);
  expect(existsSync(workspace.path('strange'))).toBe(false);

  const bytes = readFileSync(workspace.path('recordings/plain.replay'));
  bytes[bytes.length - 9] = (bytes.at(-9) as number) ^ 1;
  writeFileSync(workspace.path('recordings/damaged.replay'), bytes);
  const junit = await workspace.cli(['verify', 'recordings/damaged.replay', 'recordings/plain.replay', '--reporter', 'junit', ...command], { env: elsewhere });
  expect(junit.exitCode).toBe(4);
  expect(junit.stdout.toString()).toMatch(/tests="2" failures="0" errors="1"/);
  expect(junit.stdout.toString()).toMatch(/<testcase classname="\?" name="recordings\/damaged\.replay" file="recordings\/damaged\.replay" [^>]*>\n {6}<error type="failed" message="replay-harness: recordings\/damaged\.replay is damaged: its checksum/);
  expect(junit.stdout.toString()).toMatch(/<testcase classname="desk" name="recordings\/plain\.replay plain [0-9a-f-]{36}" file="recordings\/plain\.replay" time="[\d.]+"\/>/);
  writeFileSync(workspace.path('notes.txt'), 'no bundle');
  const github = await workspace.cli(['verify', 'notes.txt', 'nowhere.replay', '--reporter', 'github', ...command], { env: elsewhere });
  expect(github.exitCode).toBe(4);
  expect(github.stdout.toString()).toMatch(/^::error file=notes\.txt,title=replay failed%3A notes\.txt::replay-harness: notes\.txt is no bundle [^\n]*\n::error file=nowhere\.replay,title=[^\n]*::replay-harness: nowhere\.replay cannot be read: /);

  const tagged = await workspace.cli(['verify', 'recordings/plain.replay', 'recordings/sealed.replay', '--tag', 'kind=sealed', '--json', ...command], { env: elsewhere });
  expect(JSON.parse(tagged.stdout.toString())).toMatchObject({ ok: true, runs: [{ file: 'recordings/sealed.replay' }] });
  const refused = async (...args: string[]): Promise<readonly [number | null, string]> => {
    const { exitCode, stderr } = await workspace.cli(['verify', ...args], { env: elsewhere });
    return [exitCode, stderr.toString()];
  };
  expect(await refused('recordings/plain.replay')).toEqual([2, expect.stringContaining('what a bundle recorded of its command is not executed here')]);
  expect(await refused('recordings/plain.replay', '--tag', 'kind=none', ...command)).toEqual([2, expect.stringContaining('None of the 1 bundles has the tag kind=none')]);
  mkdirSync(workspace.path('empty'));
  expect(await refused('empty', ...command)).toEqual([2, expect.stringContaining('the folder empty holds no bundle')]);
  expect(await refused('recordings/plain.replay', '--all', ...command)).toEqual([2, expect.stringContaining('one of them')]);
});

test('--update rewrites a bundle for whom it was for, and shows what changed; --loose lists it', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const program = await project(workspace, place);
  writeFileSync(program, readFileSync(program, 'utf8').replace('Be brief.', 'Be kind.'));
  copyFileSync(workspace.path('recordings/plain.replay'), workspace.path('kept.replay'));
  const command = ['--', process.execPath, program] as const;
  const store = workspace.path('elsewhere');
  const env = { REPLAY_HARNESS_STORE: store, DESK_URL: place.url };

  const loose = await workspace.cli(['verify', 'recordings/plain.replay', '--loose', ...command], { env });
  expect(loose.exitCode).toBe(3);
  expect(loose.stdout.toString()).toMatch(/drifted, \d+ differences?, 0 live calls[^]*Be brief[^]*Be kind[^]*the run lies in recordings\/plain\.replay[^]*1 run: 1 drifted/);

  place.open({ ...QUIET, status: 'lost' });
  const updated = await workspace.cli(['verify', 'recordings', '--update', ...command], { env });
  expect(updated.exitCode, updated.stderr.toString()).toBe(0);
  for (const name of ['plain', 'sealed']) expect(updated.stderr.toString()).toMatch(new RegExp(`recordings/${name}\\.replay was recorded anew as [0-9a-f-]+; the file is rewritten[^]*First difference[^]*-Be brief\\.[^]*\\+Be kind\\.`));
  expect(readFileSync(workspace.path('recordings/plain.replay')).equals(readFileSync(workspace.path('kept.replay')))).toBe(false);
  expect(readdirSync(join(workspace.folder, 'recordings')).sort()).toEqual(['plain.replay', 'sealed.replay']);
  const again = JSON.parse((await workspace.cli(['verify', 'recordings', '--json', ...command], { env })).stdout.toString()) as Verified;
  expect(again.runs.map(({ name, tags, verdict, report }) => [name, tags, verdict, report?.fidelity])).toEqual([['plain', { kind: 'plain' }, 'identical', 'exact'], ['sealed', { kind: 'sealed' }, 'identical', 'exact']]);
  expect(existsSync(store)).toBe(false);

  // What cannot be recorded anew stays as it is.
  const before = readFileSync(workspace.path('kept.replay'));
  const failed = await workspace.cli(['verify', 'kept.replay', '--update', '--', 'node', 'nowhere.mjs'], { env });
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr.toString()).toContain('kept.replay was not recorded anew; it stays as it is');
  expect(readFileSync(workspace.path('kept.replay')).equals(before)).toBe(true);
});
