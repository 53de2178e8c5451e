/** `verify` and `gate`: recorded runs as a gate. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk, type Desk, QUIET } from '../support/desk.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Verified {
  readonly ok: boolean;
  readonly exitCode: number;
  readonly summary: string;
  readonly runs: readonly { readonly id: string; readonly verdict: string; readonly report: { readonly liveCalls: number } | null; readonly said: string }[];
}

/** Two runs of one program, and one of a program that will be changed. */
async function recordThree(workspace: Workspace, place: Desk): Promise<{ readonly changing: string; readonly ids: readonly string[] }> {
  const [steady, changing] = [workspace.copy('order-desk.mjs'), workspace.path('changing.mjs')];
  writeFileSync(changing, readFileSync(steady));
  for (const program of [steady, changing, steady]) {
    const { exitCode, stderr } = await workspace.cli(['record', '--tag', 'suite=ci', '--tag', `file=${program === steady ? 'steady' : 'changing'}`, '--agent', 'desk', '--', process.execPath, program], { env: { DESK_URL: place.url } });
    expect(exitCode, stderr.toString()).toBe(0);
  }
  const { stdout } = await workspace.cli(['runs', '--json']);
  return { changing, ids: (JSON.parse(stdout.toString()) as { id: string }[]).map(({ id }) => id).reverse() };
}

function change(program: string): void {
  writeFileSync(program, readFileSync(program, 'utf8').replace('Be brief.', 'Be kind.'));
}

test('recorded runs are a gate: identical, then diverged, in every reporter', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const { changing, ids } = await recordThree(workspace, place);

  const all = await workspace.cli(['verify', '--all']);
  expect(all).toMatchObject({ exitCode: 0 });
  expect(all.stdout.toString()).toMatch(/^3 runs: 3 identical \(/);
  expect(all.stderr.toString().match(/^✓ \d\/3 desk /gm)).toHaveLength(3);

  change(changing);
  const file = workspace.path('verified.json');
  const again = await workspace.cli(['verify', '--tag', 'suite=ci', '--reporter', 'junit', '--report', file]);
  expect(again.exitCode).toBe(3);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Verified;
  expect(report).toMatchObject({ ok: false, exitCode: 3, summary: '2 identical, 1 diverged' });
  expect(report.runs.map(({ id, verdict }) => [id, verdict])).toEqual([[ids[0], 'identical'], [ids[1], 'diverged'], [ids[2], 'identical']]);
  expect(report.runs[1]?.said).toMatch(/^replay-harness: diverged at step \d+[^]*body\.messages\[0\]\.content[^]*Be kind/);
  const xml = again.stdout.toString();
  expect(xml).toMatch(/<testsuites name="replay-harness" tests="3" failures="1" errors="0" /);
  expect(xml.match(/<testcase /g)).toHaveLength(3);
  expect(xml).toMatch(/<failure type="diverged" message="replay-harness: diverged at step [^"]*">[^<]*&quot;|<failure type="diverged" message="replay-harness: diverged at step [^"]*">[^<]*Be kind[^<]*<\/failure>/);

  const github = await workspace.cli(['verify', ids[1] as string, '--reporter', 'github'], { cwd: workspace.folder });
  expect(github.exitCode).toBe(3);
  expect(github.stdout.toString()).toMatch(/^::error file=changing\.mjs,line=\d+,col=\d+,title=replay diverged%3A desk [0-9a-f-]+::replay-harness: diverged [^\n]*%0A/);

  const gate = await workspace.cli(['gate', '--agent', 'desk', '--require', '0.6', '--json']);
  expect(gate.exitCode).toBe(0);
  expect(JSON.parse(gate.stdout.toString())).toMatchObject({ pass: true, replayable: 2, required: 0.6 });
  const strict = await workspace.cli(['gate', '--agent', 'desk', '--last', '2']);
  expect(strict.exitCode).toBe(3);
  expect(strict.stdout.toString()).toMatch(/^✗ desk [0-9a-f-]+ diverged: [^]*stop: 1 of the last 2 runs of desk replayed byte for byte/);
});

test('--update records anew what did not replay, shows what changed, and keeps the old run', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const { changing, ids } = await recordThree(workspace, place);
  change(changing);
  place.open({ ...QUIET, status: 'lost' });
  const updated = await workspace.cli(['verify', '--tag', 'file=changing', '--update'], { env: { DESK_URL: place.url } });
  expect(updated.exitCode, updated.stderr.toString()).toBe(0);
  expect(updated.stderr.toString()).toMatch(new RegExp(`${ids[1]} was recorded anew as [0-9a-f-]+; the old run stays[^]*First difference[^]*-Be brief\\.[^]*\\+Be kind\\.`));
  const runs = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as { id: string; tags: Record<string, string> }[];
  expect(runs).toHaveLength(4);
  expect(runs[0]?.tags).toEqual({ suite: 'ci', file: 'changing', supersedes: ids[1] });
  const now = await workspace.cli(['verify', '--tag', 'file=changing', '--json']);
  expect(JSON.parse(now.stdout.toString())).toMatchObject({ ok: true, runs: [{ id: runs[0]?.id, verdict: 'identical', report: { liveCalls: 0 } }] });
});

test('what cannot be verified is no success', async () => {
  const workspace = testWorkspace();
  const said = async (...args: string[]): Promise<readonly [number | null, string]> => {
    const { exitCode, stdout, stderr } = await workspace.cli(args);
    return [exitCode, `${String(stdout)}${String(stderr)}`];
  };
  expect(await said('verify', '--all')).toEqual([2, expect.stringContaining('holds no recorded run to verify')]);
  expect(await said('verify')).toEqual([2, expect.stringContaining('verify takes runs, or --all, or --tag')]);
  await workspace.record('clocks.mjs');
  expect(await said('verify', '--tag', 'suite=ci')).toEqual([2, expect.stringContaining('has the tag suite=ci')]);
  expect(await said('verify', '--all', 'latest')).toEqual([2, expect.stringContaining('one of them')]);
  expect(await said('verify', '--all', '--reporter', 'tap')).toEqual([2, expect.stringContaining('pretty, json, junit, github')]);
  // The program is gone: that run fails, and is named with the way out.
  expect(await said('verify', '--all', '--', 'node', 'nowhere.mjs')).toEqual([1, expect.stringMatching(/1 run: 1 failed[^]*|nowhere\.mjs[^]*1 run: 1 failed/)]);
  expect(await said('gate', '--agent', 'nobody')).toEqual([2, expect.stringContaining('no recorded run of the agent "nobody"; there are runs of')]);
  expect(await said('gate', '--agent', 'x', '--require', '2')).toEqual([2, expect.stringContaining('--require takes a ratio from 0 to 1')]);
});
