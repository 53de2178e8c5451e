/** `runs`: what the store holds, newest first. */
import { HarnessError } from '../../model/error.ts';
import { countCalls, interpret } from '../../steps/classify.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { parse } from '../arguments.ts';
import { randomOf } from '../random.ts';

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
}

export function runs(args: readonly string[]): number {
  const parsed = parse('runs', args, { json: { type: 'boolean' }, tree: { type: 'boolean' } });
  const readers = identities(process.env);
  const listed = parsed.store.list().map((run) => describeRun(parsed.store, run, readers));
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
  else process.stdout.write(listed.length === 0 ? `no runs in ${parsed.store.location}. Record one: replay-harness record -- node agent.js\n` : tableOf(listed));
  return 0;
}

export function describeRun(store: EmbeddedStore, run: StoredRun, readers: readonly string[]): ListedRun {
  const { manifest, status } = run;
  const { format: _format, pid: _pid, processStart: _start, lost: _lost, platform: _platform, ...shown } = manifest;
  const base = { ...shown, status, replayable: manifest.uncaptured.length === 0 };
  try {
    const { events } = store.tape(run, readers);
    const [begin] = events;
    if (begin?.type !== 'begin') return { ...base, command: null, cwd: null, steps: 0, llmCalls: 0, toolCalls: 0, replayable: false };
    const { facts } = begin;
    const steps = interpret(events, { random: randomOf });
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.name] : []));
    const last = events[events.length - 1]?.at ?? 0;
    return { ...base, command: [facts.argv0, ...facts.execArgv, ...facts.argv.slice(1)], cwd: facts.cwd, steps: steps.length, ...countCalls(steps), durationMs: manifest.durationMs ?? Math.round(last / 1000), uncaptured: notes, replayable: notes.length === 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { ...base, command: null, cwd: null, steps: null, llmCalls: null, toolCalls: null, replayable: false };
  }
}

function tableOf(listed: readonly ListedRun[]): string {
  const rows = listed.map((run) => [
    run.id, run.startedAt.slice(0, 19).replace('T', ' '), run.status, String(run.exitCode ?? '-'), run.durationMs === null ? '-' : `${run.durationMs} ms`,
    String(run.steps ?? '?'), String(run.llmCalls ?? '?'), run.agent, run.command?.slice(1).join(' ') ?? 'sealed to another key, or damaged',
  ]);
  const all = [['RUN', 'STARTED', 'STATUS', 'EXIT', 'TIME', 'STEPS', 'LLM', 'AGENT', 'COMMAND'], ...rows];
  const widths = (all[0] as string[]).map((_, column) => Math.max(...all.map((row) => (row[column] as string).length)));
  return all.map((row) => `${row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] as number))).join('  ')}\n`).join('');
}
