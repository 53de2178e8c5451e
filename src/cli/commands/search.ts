/** `search TEXT`: steps by words and by meaning; `--like RUN:STEP`; `--saved NAME`: a question kept as SQL. */
import { embedderOf } from '../../analysis/embedding-endpoint.ts';
import type { Filter } from '../../analysis/filter.ts';
import { foundSteps, type FoundStep } from '../../analysis/found-steps.ts';
import { runQuery } from '../../analysis/saved-query.ts';
import { type Hit, searchLike, searchText } from '../../analysis/search.ts';
import { snippetOf } from '../../analysis/snippet.ts';
import type { Config } from '../../model/config.ts';
import { ConfigError } from '../../model/error.ts';
import type { StepKind } from '../../steps/step.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { Database } from '../../store/sql/database.ts';
import { type Arguments, pairs, parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { momentOf } from '../moment.ts';
import { renderFound, renderRows } from '../render/found.ts';
import { terminalOf } from '../render/terminal.ts';
import { listOf, savedQuery } from '../saved-queries.ts';

const KINDS: readonly StepKind[] = ['llm', 'tool', 'time', 'random', 'message', 'state'];
const LIMIT = 10;
const MOST = 1000;
const SNIPPET = 300;

interface Options {
  readonly like?: string;
  readonly saved?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

export async function search(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const parsed = parse('search', args, {
    like: text, saved: text, list: { type: 'boolean' }, param: { type: 'string', multiple: true }, since: text, until: text, agent: text, kind: text,
    tag: { type: 'string', multiple: true }, limit: text, json: { type: 'boolean' },
  }, { server: true });
  const { like, saved, list, json } = parsed.values as Options;
  const question = [...parsed.positionals, ...(parsed.command ?? [])].join(' ').trim();
  const asked = [question !== '' && 'TEXT', like !== undefined && '--like', saved !== undefined && '--saved', list && '--list'].filter(Boolean);
  if (asked.length !== 1) throw new ConfigError(`search takes one of TEXT, --like, --saved and --list${asked.length > 1 ? `, not ${asked.join(' and ')}` : ''}.\n\n${helpFor('search')}`);
  const config = loadConfig(process.env, process.cwd());
  if (list) {
    process.stdout.write(listOf(config.search?.queries));
    return 0;
  }
  if (saved !== undefined) return ask(parsed, config, saved);
  if (parsed.values['param'] !== undefined) throw new ConfigError('--param belongs to --saved NAME.');
  const [filter, limit] = [filterOf(parsed), limitOf(parsed)];
  const embedder = embedderOf(config.search, process.env);
  const of = like === undefined ? undefined : await stepNamed(parsed, like);
  const found = await within(parsed, config, async (database): Promise<FoundStep[]> => {
    const hits: Hit[] | undefined = of ? await searchLike(database, of, filter, limit, embedder.id) : await searchText(database, question, filter, limit, embedder);
    if (!hits) throw new ConfigError(`The step ${like} has no vector in the store ${parsed.runs.location}: only llm and tool steps that say something have one.`);
    return foundSteps(database, hits);
  });
  if (json) process.stdout.write(`${JSON.stringify({ query: of ? { like } : { text: question }, results: found.map((step) => shown(step, question)) }, null, 2)}\n`);
  else process.stdout.write(found.length === 0 ? `nothing found in ${parsed.runs.location}\n` : renderFound(found, question, terminalOf(process.stdout, process.env)));
  return 0;
}

async function ask(parsed: Arguments, config: Config, name: string): Promise<number> {
  const filters = ['since', 'until', 'agent', 'kind', 'tag', 'limit'].filter((flag) => parsed.values[flag] !== undefined);
  if (filters.length > 0) throw new ConfigError(`A saved query takes --param k=v, not --${filters.join(', --')}.`);
  const query = savedQuery(name, config.search?.queries);
  const given = pairs('param', parsed.values['param']);
  const rows = await within(parsed, config, (database) => runQuery(database, query, given));
  process.stdout.write(parsed.values['json'] ? `${JSON.stringify({ query: { saved: name, parameters: given }, results: rows }, null, 2)}\n` : renderRows(rows));
  return 0;
}

/** What few commands need is loaded by this one alone. */
async function within<T>(parsed: Arguments, config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const { openSearched } = await import('../searched-database.ts');
  const database = await openSearched(parsed, config, (line) => process.stderr.write(`replay-harness: ${line}\n`));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function filterOf({ values }: Arguments): Filter {
  const { since, until, agent, kind } = values as Readonly<Record<string, string | undefined>>;
  if (kind !== undefined && !KINDS.includes(kind as StepKind)) throw new ConfigError(`--kind takes one of ${KINDS.join(', ')}, not "${kind}".`);
  const now = Date.now();
  return { since: since && momentOf('since', since, now), until: until && momentOf('until', until, now), agent, kind, tags: pairs('tag', values['tag']) };
}

function limitOf({ values }: Arguments): number {
  const given = values['limit'] as string | undefined;
  const limit = given === undefined ? LIMIT : Number(given);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw new ConfigError(`--limit takes a whole number from 1 to ${MOST}, not "${given}".`);
  return limit;
}

async function stepNamed({ runs }: Arguments, like: string): Promise<{ run_id: string; lane: number; step: number }> {
  const [run = '', ...numbers] = like.split(':');
  const [step, lane = 0] = numbers.map(Number).reverse();
  if (run === '' || step === undefined || numbers.length > 2 || numbers.some((number) => !/^\d+$/.test(number))) throw new ConfigError(`--like takes RUN:STEP, or RUN:LANE:STEP for a step of a worker thread, not "${like}".`);
  const { manifest } = await runs.find(run);
  return { run_id: manifest.id, lane, step };
}

function shown({ texts, ...step }: FoundStep, question: string): object {
  return { ...step, snippet: snippetOf(texts, question, SNIPPET).text };
}
