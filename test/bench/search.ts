/** Questions to a server: how long `search`, `runs` and `show` take on a store of a thousand runs, and how well is found (test/quality). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedWords, EMBEDDER } from '../../src/analysis/embedder.ts';
import { searchText } from '../../src/analysis/search.ts';
import { SEARCH_CONFIG, vectorText } from '../../src/analysis/searchable.ts';
import { wordsOf } from '../../src/analysis/words.ts';
import type { RunManifest } from '../../src/model/run.ts';
import { ingestRun } from '../../src/store/ingest/ingest.ts';
import { readRun, type ReadRun } from '../../src/store/ingest/read-run.ts';
import { ingestTools } from '../../src/store/ingest/tools.ts';
import { identities } from '../../src/store/keyring.ts';
import { parseManifest } from '../../src/store/manifest.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openPglite } from '../../src/store/sql/pglite.ts';
import { openPostgres } from '../../src/store/sql/postgres.ts';
import { measureQuality } from '../quality/quality.ts';
import { postgres } from '../support/databases/index.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { TestServer } from '../support/server.ts';
import { Workspace } from '../support/workspace.ts';
import { measure } from './measure.ts';
import { spread } from './statistics.ts';
import { Told } from './text.ts';

export type Mode = 'full' | 'quick';

const RUNS = { full: 1000, quick: 300 } as const;
const STEPS = 100;
/** Of every ten steps of a run: those that are searched by vector; the others are clocks, random values and files that are merely looked for. */
const KINDS = ['llm', 'time', 'tool', 'random', 'state', 'time', 'tool', 'random', 'message', 'time'] as const;
const CALLS = 30;
const ASKING = `
for (let call = 0; call < ${CALLS}; call++) {
  await (await fetch(process.env.MODEL_URL + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test-0000' }, body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'question ' + call + ' at ' + Date.now() }] }) })).text();
}`;
const ROUNDS = { full: 15, quick: 5 } as const;
const MOST_MS = 150;
const LEAST_MRR = 0.74;
const SET = { full: { documents: 5000, queries: 500 }, quick: { documents: 1000, queries: 200 } } as const;
/** Rare words, common words, all sorts of words, and a filter. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['light SMTP client'], ['library for the Perl programming language'], ['step 4711'], ['compressing image files without loss', '--since', '7d'], ['tool', '--agent', 'agent 3', '--kind', 'tool'],
];

/** @returns what is wrong */
export async function benchSearch(mode: Mode, keep = false): Promise<string[]> {
  const told = new Told('search', mode);
  const store = (await postgres()).createStore();
  const owner = openPostgres(store.url);
  const workspace = new Workspace();
  try {
    await migrate(owner, 'the bench');
    const recorded = await recordInto(owner, workspace);
    await seed(owner, RUNS[mode] - 1, recorded.manifest);
    const faults = await unusedIndexes(owner, told);
    told.tell(`\nsearch, runs and show: the command, over Node's own start, on a PostgreSQL server with ${RUNS[mode]} runs, about ${RUNS[mode] * STEPS} steps`);
    const env = { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config'), REPLAY_HARNESS_STORE: store.url };
    const launch = (args: readonly string[]): ReturnType<typeof measure> => measure({ program: process.execPath, args, cwd: workspace.folder, env });
    const { id } = recorded.manifest;
    const commands: readonly (readonly [readonly string[], (answer: string) => number])[] = [
      ...QUESTIONS.map((question) => [['search', ...question, '--json'], (answer: string) => (JSON.parse(answer) as { results: unknown[] }).results.length] as const),
      [['runs'], (answer) => answer.split('\n').length - RUNS[mode]],
      [['runs', '--json'], (answer) => (JSON.parse(answer) as unknown[]).length + 1 - RUNS[mode]],
      [['show', id], (answer) => answer.split('gpt-4o-mini').length - CALLS],
      [['show', 'latest', '--json'], (answer) => (JSON.parse(answer) as { run: { id: string }; steps: unknown[] }).run.id === id ? 1 : 0],
    ];
    const starts: number[] = [];
    for (const [command, found] of commands) {
      const over: number[] = [];
      const cpu: number[] = [];
      for (let round = 0; round < ROUNDS[mode]; round++) {
        const bare = await launch(['-e', '0']);
        const asked = await launch([CLI, ...command]);
        if (asked.exitCode !== 0) return [...faults, `${command.join(' ')} ended with ${asked.exitCode}: ${asked.stderr}`];
        if (found(asked.stdout) <= 0) faults.push(`${command.join(' ')} did not find what is there`);
        starts.push(bare.wallMs);
        over.push(asked.wallMs - bare.wallMs);
        cpu.push(asked.cpuMs - bare.cpuMs);
      }
      const { median, least, most } = spread(over);
      told.tell(`  ${command.map((word) => (word === id ? 'ID' : word)).join(' ').padEnd(66)} +${median.toFixed(0)} ms (${least.toFixed(0)} – ${most.toFixed(0)}; CPU +${spread(cpu).median.toFixed(0)} ms), target ≤ ${MOST_MS} ms: ${median <= MOST_MS ? 'met' : 'MISSED'}`);
    }
    told.tell(`  Node's own start took ${spread(starts).median.toFixed(0)} ms meanwhile`);
    if (keep) told.keep();
    return faults;
  } finally {
    await owner.close();
    workspace.remove();
  }
}

/** @returns what is wrong */
export async function benchQuality(mode: Mode): Promise<string[]> {
  const faults: string[] = [];
  const engines = { PostgreSQL: async () => openPostgres((await postgres()).createStore().url), PGlite: () => openPglite() };
  for (const [name, open] of Object.entries(engines)) {
    const database = await open();
    try {
      await migrate(database, 'the bench');
      const { documents, queries, hybrid, words, vector } = await measureQuality(database, SET[mode].documents, SET[mode].queries);
      console.log(`search quality on ${name}, ${queries} queries in ${documents} texts: MRR@10 ${hybrid.toFixed(3)} (target ≥ ${LEAST_MRR}: ${hybrid >= LEAST_MRR ? 'met' : 'MISSED'}); words alone ${words.toFixed(3)}, vectors of ${EMBEDDER} alone ${vector.toFixed(3)}`);
      if (hybrid < LEAST_MRR) faults.push(`search quality on ${name}: ${hybrid}`);
    } finally {
      await database.close();
    }
  }
  return faults;
}

async function unusedIndexes(database: Database, told: Told): Promise<string[]> {
  const plans: string[] = [];
  await database.transaction(async (inside) => {
    const spy: Database = {
      ...inside,
      query: async <T>(sql: string, params?: readonly unknown[]) => {
        if (/FROM replay_harness\.step_(?:embeddings|readings) c/.test(sql)) plans.push(...(await inside.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, params)).map((row) => row['QUERY PLAN']));
        return inside.query<T>(sql, params);
      },
      transaction: (work) => work(spy),
    };
    await searchText(spy, 'light SMTP client', {}, 10);
  });
  const used = plans.map((line) => line.trim()).filter((line) => /Index Scan (?:using|on) step_(?:embeddings|readings)\w*(?:embedding|search)_idx/.test(line));
  told.tell(`EXPLAIN: ${[...new Set(used.map((line) => line.replace(/\s+\(cost.*/, '').replace(/^->\s+/, '')))].join('; ')}`);
  return [/step_embeddings\w+_embedding_idx/, /step_readings\w+_search_idx/].filter((index) => !used.some((line) => index.test(line))).map((index) => `search does not use the index ${index.source}`);
}

/** A run of a hundred steps that can be shown: the newest of the store. */
async function recordInto(database: Database, workspace: Workspace): Promise<ReadRun> {
  const server = new TestServer(workspace.folder);
  await server.start();
  try {
    await workspace.record(workspace.write('agent.mjs', ASKING), { env: server.env });
  } finally {
    await server.stop();
  }
  const [id] = workspace.runs();
  const folder = join(workspace.store, 'runs', id as string);
  const run = readRun(folder, parseManifest(readFileSync(join(folder, 'manifest.json'), 'utf8'), folder, id as string), 'complete', identities({ XDG_CONFIG_HOME: workspace.path('config') }));
  await ingestRun(database, run, ingestTools({}, {}), { tape: folder });
  return run;
}

/** Older runs, through the schema; nobody shows them. */
async function seed(database: Database, runs: number, manifest: RunManifest): Promise<void> {
  const texts = readFileSync(join(ROOT, 'test/quality/descriptions.tsv'), 'utf8').trimEnd().split('\n').map((line) => line.split('\t')[2] as string);
  await database.query('SELECT replay_harness.register_embedder($1)', [EMBEDDER]);
  const [index] = await database.query<{ name: string; definition: string }>("SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE pg_get_indexdef(indexrelid) LIKE '%hnsw%' AND indrelid IN (SELECT relid FROM pg_partition_tree('replay_harness.step_embeddings') WHERE isleaf)", []);
  await database.query(`DROP INDEX ${index?.name}`);
  for (let run = 0; run < runs; run++) {
    const at = Date.parse(manifest.startedAt) - (run + 1) * 600_000;
    const id = `${at.toString(16).padStart(12, '0').replace(/(.{8})/, '$1-')}-7000-8000-${run.toString(16).padStart(12, '0')}`;
    const startedAt = new Date(at).toISOString();
    const steps = Array.from({ length: STEPS }, (_, step) => ({ step, kind: KINDS[step % KINDS.length] as string, text: `step ${run * STEPS + step} ${texts[(run * STEPS + step) % texts.length]}` }));
    const said = steps.map(({ kind, text }) => (kind === 'llm' || kind === 'tool' ? wordsOf(text) : []));
    await database.query(`INSERT INTO replay_harness.runs (id, agent, status, started_at, node, manifest, command, cwd, steps, llm_calls, tool_calls, duration_ms) VALUES ($1, $2, 'complete', $3, 'v20.20.2', $4, '{node,agent.mjs}', '/app', ${STEPS}, ${STEPS / 10}, ${STEPS / 5}, 1234)`, [id, `agent ${run % 7}`, startedAt, JSON.stringify({ ...manifest, id, agent: `agent ${run % 7}`, startedAt })]);
    await database.query(
      `INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, key, checksum, reading_digest, chain, started_at, latency_ms, ended)
       SELECT $1, 0, step, kind, 'http', kind, $4, step, 0, '\\x00', '\\x00', '\\x00', '\\x00', $5, 1, step FROM unnest($2::bigint[], $3::text[]) AS row (step, kind)`,
      [id, steps.map(({ step }) => step), steps.map(({ kind }) => kind), `agent ${run % 7}`, startedAt],
    );
    await database.query(
      `INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, output, search)
       SELECT $1, 0, step, 1, left(text, 120), jsonb_build_object('text', text), replay_harness.counted(to_tsvector($5::regconfig, words)) FROM unnest($2::bigint[], $3::text[], $4::text[]) AS row (step, text, words)`,
      [id, steps.map(({ step }) => step), steps.map(({ text }) => text), said.map((words) => words.join(' ')), SEARCH_CONFIG],
    );
    const embedded = steps.filter((_, at) => said[at]?.length);
    await database.query(
      "INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) SELECT $1, 0, step, $4, 'step', vector::vector FROM unnest($2::bigint[], $3::text[]) AS row (step, vector)",
      [id, embedded.map(({ step }) => step), embedded.map(({ text }) => vectorText(embedWords(wordsOf(text)))), EMBEDDER],
    );
  }
  await database.transaction(async (inside) => {
    await inside.query("SET LOCAL maintenance_work_mem = '1GB'");
    await inside.query(index?.definition as string);
  });
  await database.query('ANALYZE');
}
