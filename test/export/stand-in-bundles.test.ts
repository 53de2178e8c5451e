/** A bundle for anybody: no secret is in it, and it is replayed where nobody has a key. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decodeBundle } from '../../src/export/bundle/container.ts';
import { EmbeddedStore } from '../../src/store/embedded.ts';
import { identities } from '../../src/store/keyring.ts';
import type { Workspace } from '../support/workspace.ts';
import { API_KEY, expectWithout, exported, recordedOnA } from './hosts.ts';

/** Everything that a bundle holds, inflated. */
function insideOf(file: string): Buffer {
  const { header, entries } = decodeBundle(file, readFileSync(file), 2 ** 30);
  return Buffer.concat([Buffer.from(JSON.stringify({ header, runs: entries.map(({ run }) => run) })), ...entries.map(({ payload }) => payload)]);
}

async function identityOf(host: Workspace): Promise<string> {
  await host.cli(['keys']);
  return readFileSync(host.path('config/replay-harness/identity'), 'utf8');
}

it('has no secret in it, and is replayed byte for byte with the program that lies there, with no key at all', async () => {
  const handed = await recordedOnA();
  const { a, b, run, recorded, program } = handed;
  const file = await exported(handed);
  expectWithout(readFileSync(file), API_KEY);
  expectWithout(insideOf(file), API_KEY);
  expect(insideOf(file).includes('rh-recipient-')).toBe(false);
  expect((await identityOf(b)) === (await identityOf(a))).toBe(false);

  const imported = await b.cli(['import', file]);
  expect(imported.exitCode, imported.stderr.toString()).toBe(0);
  expect(imported.stdout.toString()).toContain('with stand-ins for its secrets');
  for (const sandbox of ['auto', 'process']) {
    const replayed = await b.replay(run, { args: ['--sandbox', sandbox, '--', 'node', program] });
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  }
  // Nor is it anywhere on that host.
  const store = new EmbeddedStore(b.store);
  const { events } = store.tape(store.find(run), identities({ XDG_CONFIG_HOME: b.path('config') }));
  for (const event of events) if ('data' in event) expectWithout(event.data, API_KEY);
  expect((await b.cli(['show', run, '--json'])).stdout.toString().includes(API_KEY)).toBe(false);
  // Whoever has the identity has all of it still.
  const home = await a.replay(run);
  expect(home.stdout.toString()).toBe(recorded.stdout.toString());
});

it('is the same file each time, and gives away no key of the run', async () => {
  const handed = await recordedOnA();
  const { a, run } = handed;
  const first = readFileSync(await exported(handed));
  expect(readFileSync(await exported(handed)).equals(first)).toBe(true);
  const { entries: [entry] } = decodeBundle('x', first, 2 ** 30);
  const store = new EmbeddedStore(a.store);
  const { runKey } = store.tape(store.find(run), identities({ XDG_CONFIG_HOME: a.path('config') }));
  expect(entry?.run.protection).toMatchObject({ by: 'clear' });
  expect((entry?.run.protection as { key: string }).key === runKey?.toString('base64url')).toBe(false);
});

it('is handed on once more as it is', async () => {
  const handed = await recordedOnA();
  const { b, run } = handed;
  const file = await exported(handed);
  await b.cli(['import', file]);
  expect((await b.cli(['export', run, '--output', 'again.replay'])).exitCode).toBe(0);
  const eventsOf = (path: string): Buffer => decodeBundle(path, readFileSync(path), 2 ** 30).entries[0]?.payload as Buffer;
  const [once, twice] = [eventsOf(file), eventsOf(b.path('again.replay'))];
  // But for the checkpoints, which another key has made.
  expect(twice.length).toBe(once.length);
  expect(twice.subarray(0, -60).equals(once.subarray(0, -60))).toBe(true);
});

it('names what cannot be derived from stand-ins, when it is exported and when the replay comes to it', async () => {
  const handed = await recordedOnA('export/signs.mjs');
  const { a, b, run, program } = handed;
  const done = await a.cli(['export', run, '--output', 'x.replay']);
  expect(done.stderr.toString()).toMatch(/A replay on stand-ins cannot derive: [^:]+: the program was not given it.*\(step \d+\)/);
  await b.cli(['import', await exported(handed)]);
  const replayed = await b.replay(run, { args: ['--', 'node', program] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'diverged' });
  expect(replayed.exitCode).toBe(3);
  expect(replayed.ownStderr).toMatch(/not everything can be derived from them: [^:]+: the program was not given it.*--with-secrets/);
});

it('holds child runs and threads', async () => {
  const handed = await recordedOnA('export/family.mjs');
  const { b, run, recorded, program } = handed;
  expect((await b.cli(['import', await exported(handed)])).exitCode).toBe(0);
  expect(b.runs()).toHaveLength(2);
  expect((await b.cli(['check', '--all'])).exitCode).toBe(0);
  const replayed = await b.replay(run, { args: ['--', 'node', program] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
});
