/** A bundle with secrets, sealed to a recipient: the very recording, on another host. */
import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EmbeddedStore } from '../../src/store/embedded.ts';
import type { Workspace } from '../support/workspace.ts';
import { exported, keyOf, recordedOnA } from './hosts.ts';

const runsOf = async (host: Workspace): Promise<{ readonly id: string; readonly parentRunId: string | null; readonly command: readonly string[] | null; readonly imported: unknown }[]> =>
  JSON.parse((await host.cli(['runs', '--json'])).stdout.toString()) as never;

it.each(['import', 'require', 'cli'] as const)('is replayed byte for byte with the program that lies there (%s)', async (preload) => {
  const handed = await recordedOnA('export/uses-key.mjs', { preload, args: ['an', 'argument'] });
  const { a, b, run, recorded, program } = handed;
  const file = await exported(handed, '--with-secrets', '--recipient', await keyOf(b));
  expect(statSync(a.path('handed.replay')).mode & 0o777).toBe(0o600);

  const imported = await b.cli(['import', file]);
  expect(imported.exitCode, imported.stderr.toString()).toBe(0);
  expect(imported.stdout.toString()).toContain(run);
  expect((await b.cli(['check', run])).exitCode).toBe(0);
  const replayed = await b.replay(run, { args: ['--', 'node', program, 'an', 'argument'] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', fidelity: 'exact', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());

  // The journal is the same to the byte.
  const [there, here] = [a, b].map(({ store }) => new EmbeddedStore(store)).map((store) => store.segments(store.find(run)).map(({ raw }) => raw));
  expect(here).toEqual(there);
  expect((await runsOf(b))[0]).toMatchObject({ id: run, imported: { content: 'exact' } });
});

it('never runs what was recorded of its command', async () => {
  const handed = await recordedOnA();
  const { b, run, program } = handed;
  await b.cli(['import', await exported(handed, '--with-secrets', '--recipient', await keyOf(b))]);
  for (const more of [[], ['--node', process.execPath], ['--sandbox', 'process']]) {
    const refused = await b.cli(['replay', run, ...more]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: Buffer.alloc(0) });
    expect(refused.stderr.toString()).toContain(`replay-harness replay ${run.slice(0, 13)} -- node PATH`);
  }
  const children = await b.cli(['replay', run, '--children', 'live', '--', 'node', program]);
  expect(children.exitCode).toBe(2);
  // Nor does the gate of a CI job, and least of all what records anew.
  expect((await b.cli(['verify', run])).exitCode).not.toBe(0);
  const anew = await b.cli(['verify', run, '--update']);
  expect(anew.exitCode).toBe(2);
  expect(anew.stderr.toString()).toContain('came with an import, and is not executed here');
  expect(b.runs()).toEqual([run]);
  expect((await b.cli(['verify', run, '--', 'node', program])).exitCode).toBe(0);
  expect((await b.cli(['gate', '--agent', 'replay-harness'])).exitCode).toBe(2);
});

it('is for its recipient alone, and says so', async () => {
  const handed = await recordedOnA();
  const { b } = handed;
  const file = await exported(handed, '--with-secrets');
  const refused = await b.cli(['import', file]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr.toString()).toMatch(/cannot be opened: it is sealed to rh-recipient-.*--recipient/s);
  expect(b.runs()).toEqual([]);
});

it('holds child runs and worker threads, and importing it again changes nothing', async () => {
  const handed = await recordedOnA('export/family.mjs');
  const { a, b, run, recorded, program } = handed;
  const file = await exported(handed, '--with-secrets', '--recipient', await keyOf(b));
  expect((await b.cli(['import', file])).exitCode).toBe(0);
  const [there, here] = [await runsOf(a), await runsOf(b)];
  expect(here.map(({ id, parentRunId, command }) => ({ id, parentRunId, command }))).toEqual(there.map(({ id, parentRunId, command }) => ({ id, parentRunId, command })));
  expect(here).toHaveLength(2);
  const shown = async (host: Workspace): Promise<unknown> => (JSON.parse((await host.cli(['show', run, '--json'])).stdout.toString()) as { steps: unknown; lanes: unknown[] }).lanes;
  expect(await shown(b)).toEqual(await shown(a));
  expect(await shown(b)).toHaveLength(1);
  const replayed = await b.replay(run, { args: ['--', 'node', program] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());

  const before = b.runs().map((id) => readFileSync(`${b.store}/runs/${id}/manifest.json`, 'utf8'));
  const again = await b.cli(['import', file, '--json']);
  expect(again.exitCode).toBe(0);
  expect(JSON.parse(again.stdout.toString())).toMatchObject({ run, imported: [], already: expect.arrayContaining([run]) as unknown });
  expect(b.runs().map((id) => readFileSync(`${b.store}/runs/${id}/manifest.json`, 'utf8'))).toEqual(before);
  // Where it was recorded it is there already, too.
  const home = await a.cli(['export', run, '--with-secrets', '--output', a.path('own.replay')]);
  expect(home.exitCode).toBe(0);
  expect((await a.cli(['import', a.path('own.replay')])).stdout.toString()).toContain('already');
});
