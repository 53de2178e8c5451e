/** The command: chooses rows, runs them one after the other, prints and keeps the result. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missingServers, removeDatabases, tellSkipped } from '../support/databases/index.ts';
import { ROOT } from '../support/paths.ts';
import { load, machine } from './machine.ts';
import { installPeers } from './peers.ts';
import { profile } from './profile.ts';
import { benchReplayLatest, benchSemantic, benchVerify } from './replays.ts';
import { evaluate, faultsOfHarness, type Result } from './result.ts';
import { ROUNDS, ROWS } from './rows.ts';
import { runRow } from './run.ts';
import { benchQuality, benchSearch, type Mode } from './search.ts';
import { benchIngest, benchServerStore } from './store.ts';
import { documentOf, headOf, keepRow, targetsText, textOf } from './text.ts';
import { AGAIN, BARE, HARNESS, VARIANTS } from './variants.ts';

const DOCUMENT = join(ROOT, 'docs/benchmarks.md');

/** What is no program under a recorder: prints its figures itself. */
const SEPARATE: Readonly<Record<string, (mode: Mode, keep: boolean) => Promise<string[]>>> = { semantic: benchSemantic, verify: benchVerify, 'replay-latest': benchReplayLatest, store: benchIngest, 'store-server': benchServerStore, search: benchSearch, 'search-quality': benchQuality };
const IN_DATABASE: ReadonlySet<string> = new Set(['store', 'store-server', 'search', 'search-quality']);

export async function bench(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args], allowPositionals: true,
    options: { quick: { type: 'boolean' }, rounds: { type: 'string' }, json: { type: 'string' }, profile: { type: 'string' }, 'no-peers': { type: 'boolean' }, keep: { type: 'boolean' } },
  });
  const unknown = [...positionals, ...(values.profile ? [values.profile] : [])].filter((id) => !ROWS.some((row) => row.id === id) && !(id in SEPARATE && id !== values.profile));
  if (unknown.length > 0) {
    console.error(`No such row: ${unknown.join(', ')}. There are: ${[...ROWS.map(({ id }) => id), ...Object.keys(SEPARATE)].join(', ')}.`);
    return 2;
  }
  const mode = values.quick ? 'quick' : 'full';
  if (values.profile) return profile(ROWS.find(({ id }) => id === values.profile) as (typeof ROWS)[number], mode, values.keep === true);

  const chosen = ROWS.filter(({ id }) => positionals.length === 0 || positionals.includes(id)).filter(({ id, needs }) => {
    const missing = missingServers(needs);
    if (missing.length > 0) tellSkipped(`row ${id}`, missing);
    return missing.length === 0;
  });
  const before = machine();
  const keeps = values.keep === true || (mode === 'full' && positionals.length === 0);
  const missing = chosen.some(({ peers }) => peers) && !values['no-peers'] ? installPeers() : 'left out';
  const result: Result = { mode, machine: before, rows: [], peers: missing === undefined ? VARIANTS.filter(({ id }) => ![BARE, AGAIN, HARNESS].includes(id)).map(({ label }) => label) : [`no peers (${missing})`] };
  const separate: string[] = [];
  for (const row of chosen) {
    const variants = VARIANTS.filter(({ id }) => (row.peers && missing === undefined) || id === BARE || id === HARNESS || (id === AGAIN && !row.long));
    const loadBefore = load();
    try {
      const measured = await runRow(row, row[mode], Number(values.rounds ?? row[mode].rounds ?? ROUNDS[mode]), variants);
      const evaluated = evaluate(row.long && mode === 'quick' ? { ...row, figures: row.figures.map(({ target: _, ...figure }) => figure) } : row, measured, row[mode].env, [loadBefore, load()]);
      console.log(`${textOf(evaluated)}\n`);
      result.rows.push(evaluated);
      if (keeps) keepRow({ ...result, machine: machine() }, evaluated);
    } catch (error) {
      // An hour of other rows must not be lost by it.
      separate.push(`row ${row.id}: ${(error as Error).message}`);
    }
  }
  for (const [id, measureIt] of Object.entries(SEPARATE)) {
    if (positionals.length > 0 && !positionals.includes(id)) continue;
    const lacking = IN_DATABASE.has(id) ? missingServers(['pgvector']) : [];
    if (lacking.length > 0) tellSkipped(`row ${id}`, lacking);
    else separate.push(...(await measureIt(mode, keeps)));
  }
  await removeDatabases();
  console.log(`${headOf(result)}\n\n${targetsText(result)}`);
  if (values.json) writeFileSync(values.json, JSON.stringify(result));
  if (keeps) writeFileSync(DOCUMENT, documentOf(ROWS.map(({ id }) => id)));
  const faults = [...faultsOfHarness(result), ...separate];
  for (const fault of faults) console.error(`WRONG: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}
