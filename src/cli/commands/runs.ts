/** `runs`: what the store holds, newest first. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HarnessError } from '../../model/error.ts';
import { countCalls } from '../../steps/classify.ts';
import { type Payload, payloadOf } from '../../store/absent.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { loadConfig } from '../../store/configuration.ts';
import { identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type RunSummary, SummaryFile } from '../../store/summary.ts';
import { noRun, parse } from '../arguments.ts';
import { CLI } from '../harnessed.ts';
import { type Interpreted, interpretRun } from '../interpreted.ts';
import { maskerOf } from '../masked.ts';
import { visible } from '../render/text.ts';
import { widthOf } from '../render/width.ts';

/** A run in the contract's shape. What needs a key to read is null where there is none. */
export interface ListedRun {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly forkedFrom: string | null;
  readonly replayOf: string | null;
  readonly name: string | null;
  readonly agent: string;
  readonly command: readonly string[] | null;
  readonly cwd: string | null;
  readonly status: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly node: string;
  readonly steps: number | null;
  readonly llmCalls: number | null;
  readonly toolCalls: number | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly replayable: boolean;
  readonly uncaptured: readonly string[];
  /** Where its journal is: `here`, `archived`, or why it is gone. */
  readonly payload: Payload;
}

export async function runs(args: readonly string[]): Promise<number> {
  const parsed = parse('runs', args, { json: { type: 'boolean' }, tree: { type: 'boolean' } }, { server: true });
  noRun('runs', parsed);
  const readers = identities(process.env);
  const found = await parsed.runs.list();
  const listed = found.map((run) => describeRun(parsed.store, run, readers));
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
  else process.stdout.write(listed.length === 0 ? `no runs in ${parsed.runs.location}. Record one: replay-harness record -- node agent.js\n` : parsed.values['tree'] ? tableOf(...treeOf(listed)) : tableOf(listed));
  const damages = found.flatMap(({ damage }) => damage ?? []);
  for (const { message } of damages) process.stderr.write(`replay-harness: ${message}\n`);
  return damages[0]?.exitCode ?? 0;
}

/** @param known what was read of the run already; then the command is as it was, and the caller masks it */
export function describeRun(store: EmbeddedStore, run: StoredRun, readers: readonly string[], known?: Interpreted): ListedRun {
  const { manifest, status } = run;
  const { format: _format, pid: _pid, processStart: _start, lost: _lost, platform: _platform, tail: _tail, counts: _counts, ...shown } = manifest;
  const base = { ...shown, status, payload: payloadOf(manifest), replayable: manifest.uncaptured.length === 0 };
  try {
    const { durationMs, ...summary } = known ? summaryOf(known) : (run.summary ?? summaryIn(store, run, readers));
    return { ...base, ...summary, durationMs: manifest.durationMs ?? durationMs, replayable: summary.steps > 0 && summary.uncaptured.length === 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { ...base, command: null, cwd: null, steps: null, llmCalls: null, toolCalls: null, ...manifest.counts, replayable: false };
  }
}

/** What listings are to say of a run when its journal has left the store. @returns undefined where it cannot be read */
export function summaryBeforeLeaving(store: EmbeddedStore, run: StoredRun, readers: readonly string[]): RunSummary | undefined {
  try {
    return summaryIn(store, run, readers);
  } catch (error) {
    if (error instanceof HarnessError) return undefined;
    throw error;
  }
}

/** Beside the manifest of a run whose journal lies in an archive. */
export function archivedSummary(store: EmbeddedStore, { manifest }: StoredRun, identities: readonly string[]): SummaryFile {
  return new SummaryFile(store.folderOf(manifest.id), { maker: 'archived', identities });
}

/** Worked out once for a run that has ended. */
function summaryIn(store: EmbeddedStore, run: StoredRun, identities: readonly string[]): RunSummary {
  const archived = payloadOf(run.manifest) === 'archived' ? archivedSummary(store, run, identities).read() : undefined;
  if (archived) return archived;
  const file = run.status === 'complete' ? new SummaryFile(store.folderOf(run.manifest.id), { maker: `${programDigest()} ${JSON.stringify(loadConfig(process.env, process.cwd()).mask ?? [])}`, identities }) : undefined;
  const kept = file?.read();
  if (kept) return kept;
  const interpreted = interpretRun(store, run, identities);
  const summary = maskerOf(interpreted).json(summaryOf(interpreted)) as RunSummary;
  file?.write(summary);
  return summary;
}

function summaryOf({ events, steps: own, lanes }: Interpreted): RunSummary {
  const [begin] = events;
  if (begin?.type !== 'begin') return { command: null, cwd: null, steps: 0, llmCalls: 0, toolCalls: 0, durationMs: 0, uncaptured: [] };
  const { facts } = begin;
  const steps = [...own, ...lanes.flatMap((lane) => lane.steps)];
  return {
    command: [facts.argv0, ...facts.execArgv, ...facts.argv.slice(1)],
    cwd: facts.cwd,
    steps: steps.length,
    ...countCalls(steps),
    durationMs: Math.round((events.at(-1)?.at ?? 0) / 1000),
    uncaptured: events.flatMap((event) => (event.type === 'note' ? [event.name] : [])),
  };
}

let digest: string | undefined;

/** Of this program's own file, which names those it loads by what is in them: another build may see other steps. */
function programDigest(): string {
  digest ??= createHash('sha256').update(readFileSync(CLI)).digest('hex');
  return digest;
}

/** Below each run those that it started, oldest first. @returns the runs in that order, and the lines that join them */
function treeOf(listed: readonly ListedRun[]): [ListedRun[], string[]] {
  const known = new Set(listed.map(({ id }) => id));
  const shown: ListedRun[] = [];
  const branches: string[] = [];
  const add = (run: ListedRun, branch: string, below: string): void => {
    shown.push(run);
    branches.push(branch);
    const children = listed.filter(({ parentRunId }) => parentRunId === run.id).reverse();
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      add(child, `${below}${isLast ? '└' : '├'} `, `${below}${isLast ? ' ' : '│'} `);
    }
  };
  for (const run of listed) if (run.parentRunId === null || !known.has(run.parentRunId)) add(run, '', '');
  return [shown, branches];
}

const WITHOUT_COMMAND: Readonly<Record<Payload, string>> = {
  here: 'sealed to another key, or damaged',
  archived: 'archived: restore brings it back',
  expired: 'gone: its time was over',
  'disk cap': 'gone: the disk cap was reached',
  erased: 'erased: its key is destroyed',
};

/** @param branches what stands before each run */
function tableOf(listed: readonly ListedRun[], branches: readonly string[] = []): string {
  const rows = listed.map((run, index) => [
    `${branches[index] ?? ''}${run.id}`, run.startedAt.slice(0, 19).replace('T', ' '), run.payload === 'here' ? run.status : run.payload, String(run.exitCode ?? run.signal ?? '-'), run.durationMs === null ? '-' : `${run.durationMs} ms`,
    String(run.steps ?? '?'), String(run.llmCalls ?? '?'), run.agent, run.command?.slice(1).join(' ') ?? WITHOUT_COMMAND[run.payload],
  ].map((cell) => visible(cell).replace(/[\n\t]/g, ' ')));
  const all = [['RUN', 'STARTED', 'STATUS', 'EXIT', 'TIME', 'STEPS', 'LLM', 'AGENT', 'COMMAND'], ...rows];
  const widths = all.reduce((widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, widthOf(cell))), [] as number[]);
  const padded = (cell: string, column: number): string => cell + ' '.repeat((widths[column] as number) - widthOf(cell));
  return all.map((row) => `${row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, column))).join('  ')}\n`).join('');
}
