/** Upkeep of both kinds of store: what leaves is told, what is archived comes back, what is erased is found nowhere. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedStore } from '../../../src/store/embedded.ts';
import { missingServers, postgres, tellSkipped } from '../../support/databases/index.ts';
import '../../support/databases/test-databases.ts';
import type { Execution } from '../../support/execute.ts';
import { CLI } from '../../support/paths.ts';
import { Workspace } from '../../support/workspace.ts';

const AGENT = `
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
if (process.argv[2] === 'child') process.send({ drawn: Math.random() });
else {
  console.log('the word is ' + process.env.WORD, readFileSync('input.txt', 'utf8'), Math.random());
  fork(process.argv[1], ['child']).on('message', (message) => console.log('child', message));
}
`;

const RETENTION = { retention: { payload: '30d', archive: '365d', to: 'archive' } };
const DAY_MS = 24 * 3_600_000;

interface Listed {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly payload: string;
  readonly steps: number | null;
}

interface Searched {
  readonly results: readonly { readonly run: string; readonly wordRank: number | null }[];
}

interface Recorded {
  readonly root: string;
  readonly child: string;
  readonly stdout: string;
}

/** A store with three runs of a program and its child, and whoever may do what in it. */
interface Place {
  readonly host: Workspace;
  /** Recorded 400 days ago, 40 days ago, and now. */
  readonly expired: Recorded;
  readonly old: Recorded;
  readonly fresh: Recorded;
  readonly keeper: string;
  readonly reader: string;
  /** Another store of the same kind, empty. */
  readonly other: string;
  cli(args: readonly string[], store?: string): Promise<Execution>;
  runs(): Promise<readonly Listed[]>;
}

async function recorded(host: Workspace, word: string, days: number): Promise<Recorded> {
  const before = new Set(host.runs());
  const { stdout, stderr, exitCode } = await host.record(host.path('agent.mjs'), { env: { WORD: word } });
  expect(exitCode, stderr.toString()).toBe(0);
  const store = new EmbeddedStore(host.store);
  const news = store.list().filter(({ manifest }) => !before.has(manifest.id));
  for (const { manifest } of news) store.write({ ...manifest, startedAt: new Date(Date.parse(manifest.startedAt) - days * DAY_MS).toISOString() });
  const root = news.find(({ manifest }) => manifest.parentRunId === null)?.manifest.id as string;
  return { root, child: news.find(({ manifest }) => manifest.parentRunId === root)?.manifest.id as string, stdout: stdout.toString() };
}

async function make(kind: 'folder' | 'server'): Promise<Place> {
  const host = new Workspace({ XDG_STATE_HOME: '' });
  host.write('replay-harness.json', JSON.stringify(RETENTION));
  host.write('agent.mjs', AGENT);
  host.write('input.txt', 'from a file');
  const [expired, old, fresh] = [await recorded(host, 'quaggas', 400), await recorded(host, 'okapis', 40), await recorded(host, 'zebras', 0)];
  let [keeper, reader, other] = [host.store, host.store, host.path('other')];
  if (kind === 'server') {
    const [store, second] = [(await postgres()).createStore(), (await postgres()).createStore()];
    for (const { url } of [store, second]) expect((await host.cli(['migrate', '--store', url])).exitCode).toBe(0);
    [keeper, reader, other] = [store.loginUrl('replay_retention'), store.loginUrl('replay_reader'), second.url];
    (await postgres()).sql(`INSERT INTO replay_harness.workflow_permissions (workflow, member) VALUES ('*', '${new URL(reader).username}')`, store.database);
    const shipped = await host.cli(['ship', '--once', '--from', host.store, '--store', store.loginUrl('replay_writer')]);
    expect(shipped.exitCode, shipped.stderr.toString()).toBe(0);
    expect(host.runs()).toEqual([]);
  }
  const cli = (args: readonly string[], store = reader): Promise<Execution> => host.cli(args, { env: { REPLAY_HARNESS_STORE: store } });
  return { host, expired, old, fresh, keeper, reader, other, cli, runs: async () => JSON.parse(done(await cli(['runs', '--json'])).stdout.toString()) as Listed[] };
}

function done(execution: Execution): Execution {
  expect(execution.exitCode, execution.stderr.toString() + execution.stdout.toString()).toBe(0);
  return execution;
}

function suite(kind: 'folder' | 'server'): void {
  let place: Place;
  beforeAll(async () => {
    place = await make(kind);
    return () => place.host.remove();
  }, 60_000);

  const payloads = async (): Promise<Record<string, string>> => Object.fromEntries((await place.runs()).map(({ id, payload }) => [id, payload]));
  const found = async (word: string): Promise<string[]> => {
    const { stdout } = done(await place.cli(['search', word, '--json']));
    return [...new Set((JSON.parse(stdout.toString()) as Searched).results.filter(({ wordRank }) => wordRank !== null).map(({ run }) => run))];
  };
  const replays = async ({ root, stdout }: Recorded, ...args: string[]): Promise<Execution> => {
    const replayed = done(await place.cli(['replay', root, ...args]));
    expect(replayed.stdout.toString()).toBe(stdout);
    return replayed;
  };

  it('prune says what it would do and does nothing; then it does just that', async () => {
    const { expired, old, fresh, keeper, host, cli } = place;
    if (kind === 'server') expect(await found('quaggas')).toEqual([expired.root]);
    const dry = JSON.parse(done(await cli(['prune', '--dry-run', '--json'], keeper)).stdout.toString()) as { run: string; did: string; why: string }[];
    const wanted = [...[expired.root, expired.child].map((run) => ({ run, did: 'removed', why: 'expired' })), ...[old.root, old.child].map((run) => ({ run, did: 'archived', why: 'expired' }))];
    expect(dry).toMatchObject(wanted);
    expect(new Set(Object.values(await payloads()))).toEqual(new Set(['here']));
    expect(existsSync(host.path('archive'))).toBe(false);
    expect(JSON.parse(done(await cli(['prune', '--json'], keeper)).stdout.toString())).toMatchObject(wanted);
    expect(await payloads()).toEqual({ [expired.root]: 'expired', [expired.child]: 'expired', [old.root]: 'archived', [old.child]: 'archived', [fresh.root]: 'here', [fresh.child]: 'here' });
    expect(readdirSync(host.path('archive')).sort()).toEqual([old.root, old.child].map((id) => `${id}.replay-archive`).sort());
    if (kind === 'server') expect(await found('quaggas')).toEqual([]);
    const gone = await cli(['show', expired.root]);
    expect(gone.exitCode).toBe(2);
    expect(gone.stderr.toString()).toMatch(/is gone since .*its time was over/);
  });

  it('an archived run is listed and searched, and comes when it is shown, replayed or restored', async () => {
    const { old, keeper, cli, runs } = place;
    expect((await runs()).find(({ id }) => id === old.root)?.steps).toBeGreaterThan(0);
    // What a folder's database does not have yet is not in it before the journal is back.
    expect(await found('okapis')).toEqual(kind === 'server' ? [old.root] : []);
    expect((await replays(old)).stderr.toString()).toMatch(/from the archive/);
    expect(done(await cli(['show', old.root])).stdout.toString()).toContain('the word is okapis');
    done(await cli(['restore', old.root], keeper));
    expect(await payloads()).toMatchObject({ [old.root]: 'here', [old.child]: 'here' });
    expect(await found('okapis')).toEqual([old.root]);
    if (kind === 'folder') return;
    expect((await replays(old, '--children', 'live')).stderr.toString()).not.toMatch(/archive/);
    done(await cli(['check', old.root]));
  });

  // Of a folder, test/cli and test/export tell.
  it.runIf(kind === 'server')('verify and gate replay what is there, and keys tells whose it is', async () => {
    const { old, fresh, cli } = place;
    const verified = JSON.parse(done(await cli(['verify', '--all', '--reporter', 'json'])).stdout.toString()) as { runs: { id: string; verdict: string }[] };
    expect(verified.runs.map(({ id, verdict }) => `${id} ${verdict}`).sort()).toEqual([old.root, fresh.root].map((id) => `${id} identical`).sort());
    expect(JSON.parse(done(await cli(['gate', '--agent', 'agent.mjs', '--last', '1', '--json'])).stdout.toString())).toMatchObject({ pass: true, replayable: 1 });
    expect(done(await cli(['keys'])).stdout.toString()).toContain('rh-recipient-');
  });

  it.runIf(kind === 'server')('a bundle is taken in, is known when it comes again, and what it ran is not run', async () => {
    const { fresh, host, other, cli } = place;
    for (const [file, options] of [['stand-ins.replay', []], ['whole.replay', ['--with-secrets']]] as const) done(await cli(['export', fresh.root, '--output', host.path(file), ...options]));
    const taken = async (file: string): Promise<unknown> => JSON.parse(done(await cli(['import', host.path(file), '--json'], other)).stdout.toString());
    expect(await taken('whole.replay')).toMatchObject({ run: fresh.root, imported: expect.arrayContaining([fresh.root, fresh.child]) as unknown, already: [] });
    expect(await taken('whole.replay')).toMatchObject({ imported: [], already: expect.arrayContaining([fresh.root, fresh.child]) as unknown });
    const others = await cli(['import', host.path('stand-ins.replay')], other);
    expect(others.stderr.toString()).toMatch(/is in the store already, with other contents/);
    expect(others.exitCode).toBe(2);
    expect((await cli(['replay', fresh.root], other)).stderr.toString()).toMatch(/was imported, and what it recorded of its command is not executed here/);
    expect(done(await cli(['replay', fresh.root, '--', 'node', 'agent.mjs'], other)).stdout.toString()).toBe(fresh.stdout);
    const searched = JSON.parse(done(await cli(['search', 'zebras', '--json'], other)).stdout.toString()) as Searched;
    expect(new Set(searched.results.map(({ run }) => run))).toContain(fresh.root);
    done(await cli(['check', '--all'], other));
    // Of two runs, one is damaged: nothing of the bundle is taken in.
    const bytes = readFileSync(host.path('whole.replay'));
    bytes[bytes.length - 40] = (bytes.at(-40) as number) ^ 1;
    host.write('damaged.replay', bytes);
    expect((await cli(['import', host.path('damaged.replay')], other)).exitCode).toBe(4);
  });

  it('what is erased is gone, with its key and its copy in the archive, and is found nowhere', async () => {
    const { old, fresh, keeper, host, cli } = place;
    cpSync(host.path('archive'), host.path('a copy'), { recursive: true });
    const bundle = host.path('erased.replay');
    if (kind === 'folder') done(await cli(['export', old.root, '--output', bundle, '--with-secrets'], keeper));
    expect(JSON.parse(done(await cli(['prune', '--erase', old.root, '--dry-run', '--json'], keeper)).stdout.toString())).toHaveLength(2);
    expect(await payloads()).toMatchObject({ [old.root]: 'here' });
    done(await cli(['prune', '--erase', old.root], keeper));
    expect(await payloads()).toMatchObject({ [old.root]: 'erased', [old.child]: 'erased', [fresh.root]: 'here' });
    expect(readdirSync(host.path('archive'))).toEqual([]);
    cpSync(host.path('a copy'), host.path('archive'), { recursive: true });
    for (const args of [['replay', old.root], ['show', old.root], ['restore', old.root]]) {
      const refused = await cli(args, keeper);
      expect(refused.exitCode, args.join(' ')).toBe(2);
      expect(refused.stderr.toString()).toMatch(/it was erased on purpose/);
    }
    expect(await found('okapis')).toEqual([]);
    expect(done(await cli(['check', '--all'])).stdout.toString()).toMatch(/gone \(erased\)/);
    if (kind === 'server') {
      done(await cli(['prune', '--erase', old.root], keeper));
      await replays(fresh);
      return;
    }
    // What is erased of an import may be imported again, and is found again.
    const imports = async (): Promise<Execution> => cli(['import', bundle], place.other);
    done(await imports());
    done(await cli(['prune', '--erase', old.root], place.other));
    done(await imports());
    expect((await imports()).stdout.toString()).toMatch(/is in the store already: nothing was changed/);
  });

  it.runIf(kind === 'server')('each deletion left one tombstone, and who may not delete did not', async () => {
    const { old, expired, fresh, cli, reader, keeper } = place;
    const sql = async (text: string): Promise<string> => (await postgres()).sql(text, new URL(keeper).pathname.slice(1));
    const stones = (await sql(`SELECT run_id, reason, deleted_by FROM replay_harness.tombstones WHERE run_id IN ('${expired.root}', '${old.root}') ORDER BY id`)).split('\n');
    const by = new URL(keeper).username;
    expect(stones.map((line) => line.replace(/archived: .*\|/, 'archived|'))).toEqual([`${expired.root}|expired|${by}`, `${old.root}|archived|${by}`, `${old.root}|erased|${by}`]);
    for (const table of ['tapes', 'run_keys', 'step_readings', 'step_embeddings', 'vault']) expect(await sql(`SELECT count(*) FROM replay_harness.${table} WHERE run_id IN ('${expired.root}', '${expired.child}', '${old.root}', '${old.child}')`), table).toBe('0');
    expect(Number(await sql(`SELECT count(*) FROM replay_harness.steps WHERE run_id = '${old.root}'`))).toBeGreaterThan(0);
    const refused = await cli(['prune', '--erase', fresh.root], reader);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.toString()).toMatch(/may not do that: permission denied/);
    await expect(payloads()).resolves.toMatchObject({ [fresh.root]: 'here' });
  });

  it.runIf(kind === 'server')('no process below a verb has the password among its arguments', async () => {
    const { fresh, reader, host } = place;
    const log = host.path('arguments.log');
    const spy = host.write('spy.cjs', `require('node:fs').appendFileSync(${JSON.stringify(log)}, process.pid + ' ' + require('node:fs').readFileSync('/proc/self/cmdline', 'utf8').replaceAll('\\0', ' ') + '\\n');`);
    const env = { NODE_OPTIONS: `--require=${spy}`, REPLAY_HARNESS_STORE: reader };
    done(await host.cli(['verify', fresh.root], { env }));
    done(await host.cli(['replay', fresh.root, '--children', 'live'], { env }));
    const api = host.write('api.mjs', `import { replay } from ${JSON.stringify(CLI.replace('cli/main.mjs', 'cli/api.mjs'))};
      console.log((await replay(${JSON.stringify(fresh.root)}, { store: process.env.STORE })).report.verdict);`);
    expect(done(await host.node([api], { env: { NODE_OPTIONS: env.NODE_OPTIONS, STORE: reader } })).stdout.toString()).toBe('identical\n');
    const seen = readFileSync(log, 'utf8');
    expect(seen.match(/main\.mjs replay /g)?.length).toBeGreaterThanOrEqual(3);
    expect(decodeURIComponent(seen)).not.toContain(decodeURIComponent(new URL(reader).password));
    expect(seen).not.toContain('postgres://');
  });
}

const missing = missingServers(['pgvector']);
if (missing.length > 0) tellSkipped('upkeep of a store on a server', missing);
describe('upkeep of a store in a folder', () => suite('folder'));
describe.skipIf(missing.length > 0)('upkeep of a store on a server', () => suite('server'));
