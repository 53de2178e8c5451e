/** Journals that leave the store, and come back the same to the byte; or never again. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EmbeddedStore } from '../../../src/store/embedded.ts';
import type { Execution } from '../../support/execute.ts';
import { S3Server } from '../../support/s3-server.ts';
import { testWorkspace } from '../../support/test-workspace.ts';
import type { Workspace } from '../../support/workspace.ts';

interface Listed {
  readonly id: string;
  readonly payload: string;
  readonly steps: number | null;
  readonly command: readonly string[] | null;
  readonly gone?: { readonly why: string; readonly head: string | null };
}

const runsOf = async (host: Workspace): Promise<readonly Listed[]> => JSON.parse((await host.cli(['runs', '--json'])).stdout.toString()) as Listed[];
const journalsOf = (host: Workspace, run: string): readonly string[] => readdirSync(`${host.store}/runs/${run}`).filter((name) => name.startsWith('lane-'));
const digestOf = (host: Workspace, run: string): string[] => journalsOf(host, run).map((name) => `${name} ${createHash('sha256').update(readFileSync(`${host.store}/runs/${run}/${name}`)).digest('hex')}`);

function done(execution: Execution): Execution {
  expect(execution.exitCode, execution.stderr.toString() + execution.stdout.toString()).toBe(0);
  return execution;
}

/** As if the run had been recorded that long ago. */
function age(host: Workspace, run: string, days: number): void {
  const store = new EmbeddedStore(host.store);
  const { manifest } = store.find(run);
  store.write({ ...manifest, startedAt: new Date(Date.parse(manifest.startedAt) - days * 24 * 3_600_000).toISOString() });
}

async function recorded(config: object, agent = 'faults/greeting.mjs'): Promise<{ host: Workspace; run: string; stdout: Buffer }> {
  const host = testWorkspace();
  host.write('replay-harness.json', JSON.stringify(config));
  const { stdout } = await host.record(agent);
  const root = (JSON.parse((await host.cli(['runs', '--json'])).stdout.toString()) as { id: string; parentRunId: string | null }[]).find(({ parentRunId }) => parentRunId === null);
  return { host, run: root?.id as string, stdout };
}

const TO_FOLDER = { retention: { to: 'archive' } };

describe('an archive in a folder', () => {
  it.each(['faults/greeting.mjs', 'export/family.mjs'])('takes the journal, and gives it back when the run is replayed (%s)', async (agent) => {
    const { host, run, stdout } = await recorded(TO_FOLDER, agent);
    const ids = host.runs();
    const before = ids.map((id) => digestOf(host, id));
    const [listed] = (await runsOf(host)).filter(({ id }) => id === run);
    expect(done(await host.cli(['archive', '--dry-run', run])).stdout.toString()).toContain('would be archived');
    expect(existsSync(host.path('archive'))).toBe(false);
    done(await host.cli(['archive', run]));
    expect(readdirSync(host.path('archive')).sort()).toEqual(ids.map((id) => `${id}.replay-archive`).sort());
    for (const id of ids) expect(journalsOf(host, id)).toEqual([]);
    // Still listed, with what is known of it.
    expect((await runsOf(host)).find(({ id }) => id === run)).toMatchObject({ id: run, payload: 'archived', steps: listed?.steps, command: listed?.command });
    done(await host.cli(['check', '--all']));
    const replayed = await host.replay(run);
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    expect(replayed.stdout).toEqual(stdout);
    expect(replayed.ownStderr).toContain(`brought run ${run} back from the archive ${host.path('archive')}`);
    done(await host.cli(['restore', run]));
    expect(ids.map((id) => digestOf(host, id))).toEqual(before);
    // Archived again, nothing is written there anew.
    const copy = readFileSync(host.path(`archive/${run}.replay-archive`));
    done(await host.cli(['archive', run]));
    expect(readFileSync(host.path(`archive/${run}.replay-archive`))).toEqual(copy);
    done(await host.cli(['show', run]));
    expect(digestOf(host, run)).toEqual(before[ids.indexOf(run)]);
  });

  it('holds nothing that can be read, and much less than the journal', async () => {
    const { host, run } = await recorded(TO_FOLDER, 'archive/repeats.mjs');
    const size = readFileSync(`${host.store}/runs/${run}/lane-0.0000.journal`).length;
    done(await host.cli(['archive', run]));
    const object = readFileSync(host.path(`archive/${run}.replay-archive`));
    expect(object.length).toBeLessThan(size / 5);
    expect(object.includes('a line that is written again and again')).toBe(false);
    expect(object.includes('rh-recipient-')).toBe(false);
  });

  it('on a host that cannot read the run, it is taken as it is', async () => {
    const { host, run, stdout } = await recorded(TO_FOLDER);
    const before = digestOf(host, run);
    const identity = host.path('config/replay-harness/identity');
    const key = readFileSync(identity);
    rmSync(identity);
    done(await host.cli(['archive', run], { env: { REPLAY_HARNESS_RECIPIENT: `rh-recipient-${Buffer.alloc(32, 9).toString('base64url')}` } }));
    expect(journalsOf(host, run)).toEqual([]);
    done(await host.cli(['restore', run]));
    expect(digestOf(host, run)).toEqual(before);
    writeFileSync(identity, key, { mode: 0o600 });
    expect((await host.replay(run)).stdout).toEqual(stdout);
  });

  it('that was altered, or emptied, is named', async () => {
    const { host, run } = await recorded(TO_FOLDER);
    done(await host.cli(['archive', run]));
    const file = host.path(`archive/${run}.replay-archive`);
    const bytes = readFileSync(file);
    const places = [0, 9, 40, bytes.length - 1];
    for (const [index, verb] of ['replay', 'show', 'check', 'export'].entries()) {
      const altered = Buffer.from(bytes);
      const at = places[index] as number;
      altered[at] = (altered[at] as number) ^ 4;
      writeFileSync(file, altered);
      expect(await host.cli([verb, run]), verb).toMatchObject({ exitCode: 4 });
    }
    rmSync(file);
    const absent = await host.cli(['show', run]);
    expect(absent.exitCode).toBe(4);
    expect(absent.stderr.toString()).toMatch(/holds no .*: it was deleted there/);
    rmSync(host.path('archive'), { recursive: true });
    expect((await host.cli(['show', run])).exitCode).toBe(5);
    writeFileSync(host.path('archive'), 'a file');
    expect((await host.cli(['show', run])).exitCode).toBe(5);
  });

  it('a damaged run stays where it is, and the others go', async () => {
    const { host, run } = await recorded(TO_FOLDER);
    await host.record('faults/greeting.mjs');
    const other = host.runs().find((id) => id !== run) as string;
    const journal = `${host.store}/runs/${run}/lane-0.0000.journal`;
    const bytes = readFileSync(journal);
    bytes[bytes.length - 3] = (bytes.at(-3) as number) ^ 1;
    writeFileSync(journal, bytes);
    const archived = await host.cli(['archive', run, other]);
    expect(archived.exitCode).toBe(4);
    expect(archived.stdout.toString()).toMatch(new RegExp(`${run}  KEPT`));
    expect(journalsOf(host, run)).toHaveLength(1);
    expect(journalsOf(host, other)).toEqual([]);
  });

  it('none configured', async () => {
    const { host, run } = await recorded({});
    const refused = await host.cli(['archive', run]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.toString()).toContain('"retention": {"to"');
  });

  it('killed after the manifest was written: the next prune ends it', async () => {
    const { host, run } = await recorded(TO_FOLDER);
    const journal = `${host.store}/runs/${run}/lane-0.0000.journal`;
    const bytes = readFileSync(journal);
    done(await host.cli(['archive', run]));
    writeFileSync(journal, bytes);
    done(await host.cli(['prune']));
    expect(journalsOf(host, run)).toEqual([]);
    done(await host.cli(['show', run]));
  });
});

describe('an archive in a bucket', () => {
  const withBucket = async (): Promise<{ host: Workspace; run: string; stdout: Buffer; server: S3Server }> => {
    const server = new S3Server();
    await server.start();
    onTestFinished(() => server.stop());
    return { server, ...(await recorded({ retention: { to: 's3://recordings/of/agents', s3: { endpoint: server.url, region: 'eu-central-1' } } })) };
  };

  it('holds one object per run, and gives it back', async () => {
    const { host, run, stdout, server } = await withBucket();
    const before = digestOf(host, run);
    done(await host.cli(['archive', run], { env: server.env }));
    expect([...server.objects.keys()]).toEqual([`/recordings/of/agents/${run}.replay-archive`]);
    expect(journalsOf(host, run)).toEqual([]);
    const replayed = await host.replay(run, { env: server.env });
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    expect(replayed.stdout).toEqual(stdout);
    expect(digestOf(host, run)).toEqual(before);
    done(await host.cli(['prune', '--erase', run], { env: server.env }));
    expect(server.objects.size).toBe(0);
  });

  it('that refuses, or fails, takes nothing away', async () => {
    const { host, run, server } = await withBucket();
    const wrongKey = await host.cli(['archive', run], { env: { ...server.env, AWS_SECRET_ACCESS_KEY: 'another' } });
    expect(wrongKey.exitCode).toBe(5);
    expect(wrongKey.stderr.toString()).toMatch(/cannot be written: SignatureDoesNotMatch/);
    server.failsWith = 500;
    expect((await host.cli(['archive', run], { env: server.env })).exitCode).toBe(5);
    expect(journalsOf(host, run)).toHaveLength(1);
    server.failsWith = undefined;
    done(await host.cli(['archive', run], { env: server.env }));
    server.objects.clear();
    const absent = await host.cli(['show', run], { env: server.env });
    expect(absent.exitCode).toBe(4);
    expect(absent.stderr.toString()).toMatch(/it was deleted there/);
  });
});

describe('prune', () => {
  it('archives, and then removes, what is too old; what was removed stays listed', async () => {
    const { host, run } = await recorded({ retention: { payload: '1d', archive: '10d', to: 'archive' } });
    const steps = (await runsOf(host))[0]?.steps;
    expect(done(await host.cli(['prune'])).stdout.toString()).toContain('nothing to do');
    age(host, run, 2);
    expect(JSON.parse(done(await host.cli(['prune', '--dry-run', '--json'])).stdout.toString())).toMatchObject([{ run, did: 'archived', why: 'expired' }]);
    expect(journalsOf(host, run)).toHaveLength(1);
    done(await host.cli(['prune']));
    expect(journalsOf(host, run)).toEqual([]);
    age(host, run, 9);
    expect(JSON.parse(done(await host.cli(['prune', '--json'])).stdout.toString())).toMatchObject([{ run, did: 'removed', why: 'expired' }]);
    expect(readdirSync(host.path('archive'))).toEqual([]);
    expect(await runsOf(host)).toMatchObject([{ id: run, payload: 'expired', steps, gone: { why: 'expired' } }]);
    for (const verb of ['replay', 'show', 'restore']) {
      const refused = await host.cli([verb, run]);
      expect(refused.exitCode, verb).toBe(2);
      expect(refused.stderr.toString()).toMatch(/is gone since .*: its time was over/);
    }
    done(await host.cli(['check', '--all']));
    expect(done(await host.cli(['prune'])).stdout.toString()).toContain('nothing to do');
  });

  it('a run that was brought back begins anew', async () => {
    const { host, run } = await recorded({ retention: { payload: '1d', to: 'archive' } });
    age(host, run, 2);
    done(await host.cli(['prune']));
    done(await host.cli(['restore', run]));
    expect(done(await host.cli(['prune'])).stdout.toString()).toContain('nothing to do');
    expect(journalsOf(host, run)).toHaveLength(1);
  });

  it('the disk cap: the oldest go, and it is said; never the newest', async () => {
    const { host, run } = await recorded({ limits: { disk: '100B' } });
    await host.record('faults/greeting.mjs');
    const pruned = done(await host.cli(['prune', '--json']));
    expect(JSON.parse(pruned.stdout.toString())).toMatchObject([{ run, did: 'removed', why: 'disk cap' }]);
    const listed = await runsOf(host);
    expect(listed.map(({ payload }) => payload)).toEqual(['here', 'disk cap']);
    expect(listed[1]?.gone?.head).toMatch(/^[\w-]{43}$/);
    expect((await host.replay()).report).toMatchObject({ verdict: 'identical' });
  });

  it('record keeps to the disk cap, too, and says so on its line', async () => {
    const { host, run } = await recorded({ limits: { disk: 1 } });
    const second = await host.record('faults/greeting.mjs', { preload: 'cli' });
    expect(second.ownStderr).toMatch(new RegExp(`^replay-harness: recorded [^\\n]*\\nreplay-harness: the disk cap of the store \\(1 bytes\\) is reached: removed the recording of ${run}`));
    expect((await runsOf(host)).map(({ payload }) => payload)).toEqual(['here', 'disk cap']);
    // With an archive nothing is removed by the way: that can take its time.
    host.write('replay-harness.json', JSON.stringify({ limits: { disk: 1 }, retention: { to: 'archive' } }));
    const third = await host.record('faults/greeting.mjs', { preload: 'cli' });
    expect(third.ownStderr).toMatch(/is reached: replay-harness prune archives the oldest/);
    expect((await runsOf(host)).map(({ payload }) => payload)).toEqual(['here', 'here', 'disk cap']);
  });
});

describe('erasure', () => {
  it('destroys the key: what is left in an archive cannot be opened any more', async () => {
    const { host, run } = await recorded(TO_FOLDER, 'export/family.mjs');
    const ids = host.runs();
    done(await host.cli(['archive', run]));
    const object = readFileSync(host.path(`archive/${run}.replay-archive`));
    const manifest = readFileSync(`${host.store}/runs/${run}/manifest.json`);
    expect(done(await host.cli(['prune', '--erase', run, '--dry-run'])).stdout.toString()).toContain('would be removed');
    done(await host.cli(['prune', '--erase', run]));
    for (const id of ids) expect(readdirSync(`${host.store}/runs/${id}`)).toEqual(['manifest.json']);
    expect(readdirSync(host.path('archive'))).toEqual([]);
    expect((await runsOf(host)).map(({ payload, command }) => ({ payload, command }))).toEqual(ids.map(() => ({ payload: 'erased', command: null })));
    expect(done(await host.cli(['runs'])).stdout.toString()).toContain('erased: its key is destroyed');
    const shown = await host.cli(['show', run]);
    expect(shown.exitCode).toBe(2);
    expect(shown.stderr.toString()).toContain('it was erased on purpose, and its key destroyed');
    // Somebody kept a copy of everything that the archive and the listing held.
    writeFileSync(host.path(`archive/${run}.replay-archive`), object);
    writeFileSync(`${host.store}/runs/${run}/manifest.json`, manifest);
    expect((await host.cli(['restore', run])).exitCode).toBe(2);
  });

  it('also where the archive cannot be reached, and of a damaged run', async () => {
    const { host, run } = await recorded(TO_FOLDER);
    done(await host.cli(['archive', run]));
    rmSync(host.path('archive'), { recursive: true });
    writeFileSync(host.path('archive'), 'a file');
    expect(done(await host.cli(['prune', '--erase', run])).stdout.toString()).toMatch(/removed for good/);
    await host.record('faults/greeting.mjs');
    const damaged = host.runs().find((id) => id !== run) as string;
    writeFileSync(`${host.store}/runs/${damaged}/manifest.json`, '{');
    done(await host.cli(['prune', '--erase', damaged]));
    expect(journalsOf(host, damaged)).toEqual([]);
  });
});
