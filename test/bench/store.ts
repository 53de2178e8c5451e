/** The event store on a server: how fast it takes runs, how small it keeps them, and what a program pays for a store that is a server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LaneEvent } from '../../src/model/event.ts';
import type { RunManifest } from '../../src/model/run.ts';
import { isConversation } from '../../src/steps/conversation.ts';
import { ingestRun, type IngestTools } from '../../src/store/ingest/ingest.ts';
import { readRun, type ReadRun, stepsOf } from '../../src/store/ingest/read-run.ts';
import { ingestTools } from '../../src/store/ingest/tools.ts';
import { identities } from '../../src/store/keyring.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openPostgres } from '../../src/store/sql/postgres.ts';
import { durablePostgres, postgres } from '../support/databases/index.ts';
import { ROOT } from '../support/paths.ts';
import { TestServer } from '../support/server.ts';
import { Workspace } from '../support/workspace.ts';
import { spread } from './statistics.ts';
import { Told } from './text.ts';

type Mode = 'full' | 'quick';

const CHATS = { full: 12, quick: 3 } as const;
const TURNS = 50;
const ROUNDS = { full: 11, quick: 5 } as const;
const LEAST = { ingest: 5, content: 40, whole: 8 } as const;
const MOST_ADDED = 1.2;

/** A conversation that grows by two messages of 1,300 characters for each call: words of our documents in any order, so that nothing is there twice. */
const chat = (words: readonly string[], seed: number): string => `
const words = ${JSON.stringify(words)};
let state = ${seed};
const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
const take = (length) => { let text = ''; while (text.length < length) text += words[Math.floor(random() * words.length)] + ' '; return text; };
const messages = [{ role: 'system', content: take(3000) }];
for (let turn = 0; turn < ${TURNS}; turn++) {
  messages.push({ role: 'user', content: take(1300) });
  await (await fetch(process.env.MODEL_URL + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test-0000' }, body: JSON.stringify({ model: 'gpt-4o-mini', messages }) })).text();
  messages.push({ role: 'assistant', content: take(1300) });
}`;

/** Events of every sort, and the time that they take. */
const BUSY = `
import { readFileSync } from 'node:fs';
const began = performance.now();
for (let i = 0; i < 4000; i++) {
  Date.now(); Math.random(); readFileSync(process.argv[1]);
  if (i % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
}
console.log(performance.now() - began);`;

interface World {
  readonly workspace: Workspace;
  readonly database: Database;
  readonly url: string;
  readonly server: TestServer;
}

/** @param start the database server */
async function within<T>(start: typeof postgres, work: (world: World) => Promise<T>): Promise<T> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder);
  await server.start();
  const { url } = (await start()).createStore();
  const database = openPostgres(url);
  try {
    await migrate(database, 'the bench');
    return await work({ workspace, database, url, server });
  } finally {
    await database.close();
    await server.stop();
    workspace.remove();
  }
}

type Recorded = ReadRun & { readonly folder: string };

/** The last of them is of no chat. */
async function chats({ workspace, server }: World, count: number): Promise<Recorded[]> {
  // As often as they are used.
  const words = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).flatMap((name) => readFileSync(join(ROOT, 'docs', name), 'utf8').match(/[A-Za-z]+/g) ?? []);
  for (let seed = 1; seed <= count; seed++) await workspace.record(workspace.write(`chat${seed}.mjs`, chat(words, seed)), { env: server.env });
  await workspace.record(workspace.write('busy.mjs', BUSY));
  const readers = identities({ XDG_CONFIG_HOME: workspace.path('config') });
  return workspace.runs().map((id) => {
    const folder = join(workspace.store, 'runs', id);
    return { ...readRun(folder, JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as RunManifest, 'complete', readers), folder };
  });
}

/** Bytes of tables with their indexes. */
async function sizeOf(database: Database, pattern: string): Promise<number> {
  const [row] = await database.query<{ bytes: number }>("SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c WHERE c.relnamespace = 'replay_harness'::regnamespace AND c.relkind = 'r' AND c.relname ~ $1", [pattern]);
  return row?.bytes ?? 0;
}

interface Share {
  readonly table: string;
  readonly heap: number;
  readonly indexes: number;
}

/** Bytes of each table of the store, with its partitions and what lies beside its rows; its indexes apart. */
function sharesOf(database: Database): Promise<Share[]> {
  return database.query<Share>(
    `SELECT regexp_replace(c.relname, '_([0-9]{6}|other|[0-9a-f]{12})$', '') AS table, sum(pg_table_size(c.oid))::bigint AS heap, sum(pg_indexes_size(c.oid))::bigint AS indexes
     FROM pg_class c WHERE c.relnamespace = 'replay_harness'::regnamespace AND c.relkind = 'r' AND c.relname ~ $1 GROUP BY 1 ORDER BY 1`,
    [WHOLE],
  );
}

function grown(after: readonly Share[], before: readonly Share[]): Share[] {
  return after
    .map(({ table, heap, indexes }) => ({ table, heap: heap - (before.find((share) => share.table === table)?.heap ?? 0), indexes: indexes - (before.find((share) => share.table === table)?.indexes ?? 0) }))
    .filter(({ heap, indexes }) => heap + indexes > 0)
    .sort((a, b) => b.heap + b.indexes - a.heap - a.indexes);
}

/** What each statement takes, by its beginning: waits for the server included. */
function timed(database: Database, took: Map<string, number>): Database {
  return {
    query: async <T>(sql: string, params?: readonly unknown[]) => {
      const began = performance.now();
      const rows = await database.query<T>(sql, params);
      const name = /(?:INSERT INTO|UPDATE|SELECT) replay_harness\.\w+/.exec(sql)?.[0] ?? sql.slice(0, 60);
      took.set(name, (took.get(name) ?? 0) + performance.now() - began);
      return rows;
    },
    transaction: (work, options) => database.transaction((inside) => work(timed(inside, took)), options),
    close: () => database.close(),
  };
}

const CONTENT = '^(blobs|step_blobs|context_manifests)';
const WHOLE = '^(runs|steps|step_|blobs|context_manifests|tapes|run_keys|vault)';

/**
 * On a server as it is installed, which has what it commits on its disk: that is what an INSERT for each event waits for.
 * @param keep writes the result beside those of the other rows @returns what is wrong
 */
export function benchIngest(mode: Mode, keep = false): Promise<string[]> {
  return within(durablePostgres, async (world) => {
    const told = new Told('store', mode);
    const tell = (line: string): void => told.tell(line);
    const { database } = world;
    const runs = await chats(world, CHATS[mode]);
    const tools = ingestTools({}, {});
    await database.query('CREATE TABLE replay_harness.each_step (run uuid, step bigint, input jsonb, output jsonb, PRIMARY KEY (run, step))');
    // Partitions are made by the first run.
    const [first, ...talks] = runs.slice(0, -1) as [Recorded, ...Recorded[]];
    const busy = runs.at(-1) as Recorded;
    await ingestRun(database, first, tools, { tape: first.folder });
    const before = { content: await sizeOf(database, CONTENT), whole: await sizeOf(database, WHOLE), shares: await sharesOf(database) };
    for (const run of talks) await ingestRun(database, run, tools, { tape: run.folder });
    const content = (await sizeOf(database, CONTENT)) - before.content;
    const whole = (await sizeOf(database, WHOLE)) - before.whole;
    const shares = grown(await sharesOf(database), before.shares);

    const { ingested, single, wall, cpu, took } = await speedOf(database, busy, tools);
    const forgetful = await onForgetfulServer(async (other) => {
      await ingestRun(other, first, tools, { tape: first.folder });
      return speedOf(other, busy, tools);
    });

    for (const run of talks) {
      for (const step of [...stepsOf(run.lanes, tools.random)].flatMap((lane) => lane.steps).filter(isConversation)) {
        const { input, output } = step as { input: { raw: unknown }; output: { raw: unknown } };
        await database.query('INSERT INTO replay_harness.each_step VALUES ($1, $2, $3, $4)', [run.manifest.id, step.step, JSON.stringify(input.raw), JSON.stringify(output.raw)]);
      }
    }
    const jsonb = await sizeOf(database, '^each_step');
    const figures = [
      ['rows a second, masking and embedding included, against one INSERT for each event', ingested / single, LEAST.ingest],
      ['blobs and manifests, against JSONB for each model call: times smaller', jsonb / content, LEAST.content],
      ['the whole store with tapes, vectors and indexes: times smaller', jsonb / whole, LEAST.whole],
    ] as const;
    const [compression] = await database.query<{ method: string }>("SELECT current_setting('default_toast_compression') AS method", []);
    tell(`\nstore: ${talks.length} chats of ${TURNS} model calls: ${(jsonb / 1e6).toFixed(1)} MB as JSONB, ${(content / 1e6).toFixed(2)} MB of blobs and manifests, ${(whole / 1e6).toFixed(2)} MB in all; ${(ingested * 1000).toFixed(0)} rows a second. JSONB as the server stores it, packed with ${compression?.method ?? 'nothing'}; all sizes with indexes. The server as it is installed: what is committed is on the disk`);
    for (const [what, ratio, least] of figures) tell(`  ${what.padEnd(80)} ${ratio.toFixed(1)}, target ≥ ${least}: ${ratio >= least ? 'met' : 'MISSED'}`);
    tell(`  on a server that keeps nothing when the power fails (fsync and synchronous_commit off): ${(forgetful.ingested / forgetful.single).toFixed(1)} times, ${(forgetful.ingested * 1000).toFixed(0)} rows a second`);
    tell(`\n  of ${talks.length} chats, in KB:      rows  indexes`);
    for (const { table, heap, indexes } of shares) tell(`    ${table.padEnd(20)} ${(heap / 1024).toFixed(0).padStart(8)} ${(indexes / 1024).toFixed(0).padStart(8)}`);
    tell(`  of the ${wall.toFixed(0)} ms of one busy run (${cpu.toFixed(0)} ms CPU of the ingester), waited for the server:`);
    for (const [statement, ms] of [...took].sort(([, a], [, b]) => b - a).slice(0, 8)) tell(`    ${statement.padEnd(60)} ${ms.toFixed(0).padStart(6)} ms`);
    if (keep) told.keep();
    return [];
  });
}

interface Speed {
  /** Rows a millisecond. */
  readonly ingested: number;
  /** Events a millisecond, one INSERT each. */
  readonly single: number;
  /** Milliseconds of the whole ingest. */
  readonly wall: number;
  /** Milliseconds of this process meanwhile. */
  readonly cpu: number;
  /** Milliseconds by statement. */
  readonly took: ReadonlyMap<string, number>;
}

/** Of a program that does something of everything; a prompt of 70 KB costs what its bytes cost, however it is stored. */
async function speedOf(database: Database, busy: Recorded, tools: IngestTools): Promise<Speed> {
  await database.query('CREATE TABLE replay_harness.each_event (run uuid, seq bigint, at bigint, type text, kind text, key text, data bytea, PRIMARY KEY (run, seq))');
  const rowsBefore = await rowsIn(database);
  // Half of them before and half behind: what else the machine does counts for both.
  const events = (busy.lanes[0]?.events ?? []).slice(0, 3000);
  const half = events.length / 2;
  let alone = await insertEach(database, busy.manifest.id, events.slice(0, half));
  const took = new Map<string, number>();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await ingestRun(timed(database, took), busy, tools, { tape: busy.folder });
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  const ingested = ((await rowsIn(database)) - rowsBefore) / wall;
  alone += await insertEach(database, busy.manifest.id, events.slice(half));
  return { ingested, single: events.length / alone, wall, cpu: (user + system) / 1000, took };
}

async function onForgetfulServer<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = openPostgres((await postgres()).createStore().url);
  try {
    await migrate(database, 'the bench');
    return await work(database);
  } finally {
    await database.close();
  }
}

const TABLES = ['runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'vault', 'step_embeddings'];

async function rowsIn(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(`SELECT ${TABLES.map((table) => `(SELECT count(*) FROM replay_harness.${table})`).join(' + ')} AS n`, []);
  return row?.n ?? 0;
}

/** @returns milliseconds */
async function insertEach(database: Database, run: string, events: readonly LaneEvent[]): Promise<number> {
  const began = performance.now();
  for (const event of events) await insertEvent(database, run, event);
  return performance.now() - began;
}

function insertEvent(database: Database, run: string, event: LaneEvent): Promise<unknown> {
  const { seq, at, type } = event;
  return database.query('INSERT INTO replay_harness.each_event VALUES ($1, $2, $3, $4, $5, $6, $7)', [run, seq, at, type, 'kind' in event ? event.kind : null, 'key' in event ? event.key : null, 'data' in event ? event.data : null]);
}

/** @returns what is wrong */
export function benchServerStore(mode: Mode, keep = false): Promise<string[]> {
  const told = new Told('store-server', mode);
  return within(postgres, async ({ workspace, url }) => {
    const program = workspace.write('busy.mjs', BUSY);
    const added: { folder: number[]; server: number[] } = { folder: [], server: [] };
    const took = async (env: Readonly<Record<string, string>>): Promise<number> => Number((await workspace.record(program, { env })).stdout.toString());
    for (let round = 0; round < ROUNDS[mode]; round++) {
      const bare = Number((await workspace.bare(program)).stdout.toString());
      added.folder.push((await took({})) - bare);
      added.server.push((await took({ REPLAY_HARNESS_STORE: url, REPLAY_HARNESS_FLUSH_MS: '60000' })) - bare);
    }
    const ratio = spread(added.server.map((server, round) => server / (added.folder[round] as number))).median;
    const [folder, server] = [spread(added.folder), spread(added.server)];
    told.tell(`\nstore: what 12,000 events add to a program: ${folder.median.toFixed(0)} ms with a folder, ${server.median.toFixed(0)} ms with a server (best ${folder.least.toFixed(0)} and ${server.least.toFixed(0)}): ${ratio.toFixed(2)} times, target ≤ ${MOST_ADDED}: ${ratio <= MOST_ADDED ? 'met' : 'MISSED'}`);
    if (keep) told.keep();
    return [];
  });
}
