/** `runs`: what the store holds, newest first. */
import type { Payload } from '../../store/absent.ts';
import { identities } from '../../store/keyring.ts';
import { noRun, parse } from '../arguments.ts';
import { describeRun } from '../describe-run.ts';
import type { ListedRun } from '../listed-run.ts';
import { visible } from '../render/text.ts';
import { widthOf } from '../render/width.ts';
import { fetchGoing } from '../stores.ts';

export async function runs(args: readonly string[]): Promise<number> {
  const parsed = parse('runs', args, { json: { type: 'boolean' }, tree: { type: 'boolean' } }, { server: true });
  noRun('runs', parsed);
  const readers = identities(process.env);
  const found = await parsed.runs.list();
  await fetchGoing(parsed, found);
  const listed = found.map((run) => describeRun(parsed.store, run, readers));
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
  else process.stdout.write(listed.length === 0 ? `no runs in ${parsed.runs.location}. Record one: replay-harness record -- node agent.js\n` : parsed.values['tree'] ? tableOf(...treeOf(listed)) : tableOf(listed));
  const damages = found.flatMap(({ damage }) => damage ?? []);
  for (const { message } of damages) process.stderr.write(`replay-harness: ${message}\n`);
  return damages[0]?.exitCode ?? 0;
}

/** Below each run those that it started and that were forked from it, oldest first. @returns the runs in that order, and the lines that join them */
function treeOf(listed: readonly ListedRun[]): [ListedRun[], string[]] {
  const known = new Set(listed.map(({ id }) => id));
  const shown: ListedRun[] = [];
  const branches: string[] = [];
  const add = (run: ListedRun, branch: string, below: string): void => {
    shown.push(run);
    branches.push(branch);
    const children = listed.filter((other) => stemOf(other) === run.id).reverse();
    for (const [index, child] of children.entries()) {
      const isLast = index === children.length - 1;
      add(child, `${below}${isLast ? '└' : '├'} `, `${below}${isLast ? ' ' : '│'} `);
    }
  };
  for (const run of listed) if (!known.has(stemOf(run) ?? '')) add(run, '', '');
  return [shown, branches];
}

/** The run below which this one hangs. */
function stemOf({ parentRunId, forkedFrom, replayOf }: ListedRun): string | null {
  return parentRunId ?? forkedFrom ?? replayOf;
}

const WITHOUT_COMMAND: Readonly<Record<Payload, string>> = {
  here: 'damaged, sealed to another key, or too large: show says which',
  archived: 'archived: restore brings it back',
  expired: 'gone: its time was over',
  'disk cap': 'gone: the disk cap was reached',
  erased: 'erased: its key is destroyed',
};

/** What ended a fork says more than that it is cut off. */
function statusOf({ payload, status, fork }: ListedRun): string {
  if (payload !== 'here') return payload;
  return status === 'truncated' && fork?.refused ? 'refused' : status;
}

function originOf({ forkedFrom, fork }: ListedRun): string {
  return forkedFrom === null ? '-' : `${forkedFrom.slice(0, 13)}${fork ? ` at ${fork.at}` : ''}`;
}

/** @param branches what stands before each run */
function tableOf(listed: readonly ListedRun[], branches: readonly string[] = []): string {
  const hasForks = listed.some(({ forkedFrom }) => forkedFrom !== null);
  const rows = listed.map((run, index) => [
    `${branches[index] ?? ''}${run.id}`, run.startedAt.slice(0, 19).replace('T', ' '), statusOf(run), String(run.exitCode ?? run.signal ?? '-'), run.durationMs === null ? '-' : `${run.durationMs} ms`,
    String(run.steps ?? '?'), String(run.llmCalls ?? '?'), ...(hasForks ? [originOf(run)] : []), run.agent, run.command?.slice(1).join(' ') ?? WITHOUT_COMMAND[run.payload],
  ].map((cell) => visible(cell).replace(/[\n\t]/g, ' ')));
  const all = [['RUN', 'STARTED', 'STATUS', 'EXIT', 'TIME', 'STEPS', 'LLM', ...(hasForks ? ['FORK OF'] : []), 'AGENT', 'COMMAND'], ...rows];
  const widths = all.reduce((widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, widthOf(cell))), [] as number[]);
  const padded = (cell: string, column: number): string => cell + ' '.repeat((widths[column] as number) - widthOf(cell));
  return all.map((row) => `${row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, column))).join('  ')}\n`).join('');
}
