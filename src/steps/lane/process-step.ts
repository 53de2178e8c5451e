import type { DeliveryEvent, LaneEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import { asList, asNumber, asObject, asText, cutAt, parseJson } from '../json.ts';
import { type Draft, outcomeOf, statusName, toBuffer } from './draft.ts';

/** A child process of the program. */
export interface Child {
  readonly start: StartEvent;
  readonly cwd: string;
  spawned?: ValueEvent;
  exited?: DeliveryEvent;
  /** What went through each of its pipes, by descriptor, in order. */
  readonly pipes: Map<number, (OutputEvent | DeliveryEvent)[]>;
  /** What it printed on the program's own streams. */
  readonly relayed: OutputEvent[];
}

/** @param steps whether what was said through standard input and output are steps of their own */
export function processDraft(child: Child, { steps }: { readonly steps: boolean }): Draft {
  const { start, spawned, exited, cwd } = child;
  const [file, args, options] = asList(parseJson(start.key));
  const command = asText(file) ?? '';
  const name = [command, ...asList(args)].map((word) => quoted(String(word))).join(' ');
  const result = spawned?.kind === 'spawn-sync' ? asObject(outcomeOf(spawned).result) : undefined;
  const code = result ? asNumber(result['error']) ?? 0 : asNumber(asList(spawned && outcomeOf(spawned).result)[0]) ?? 0;
  const started = spawned !== undefined && (code === 0 || (result !== undefined && result['output'] != null));
  const written = steps ? [] : eventsOf(child, 0, 'output');
  const output = started ? { ...(result ? syncOutput(result, child) : asyncOutput(child, steps)), ...(steps && { protocol: 'mcp' }) } : null;
  const events = [start, spawned, exited, ...child.relayed, ...[...child.pipes].flatMap(([fd, seen]) => (steps && fd < 2 ? [] : seen))].filter((event) => event !== undefined);
  return {
    seq: start.seq,
    events: events.sort((a, b) => a.seq - b.seq),
    kind: 'tool',
    boundary: 'child_process',
    name,
    summary: `${clip(name)} → ${code === 0 ? endOf(output) : statusName(code)}`,
    input: { command, args: asList(args), cwd: asText(asObject(options)['cwd']) ?? cwd, stdin: written.length > 0 ? showBytes(bytesOf(written)) : null, env: asObject(asObject(options)['env']) },
    output,
    error: code === 0 ? null : { code: statusName(code), message: `${result ? 'spawnSync' : 'spawn'} ${command} ${statusName(code)}`, syscall: `spawn ${command}`, path: command },
    asked: `process ${start.key}`,
    startedAt: start.at,
    endedAt: result || code !== 0 ? (spawned?.at ?? null) : (exited?.at ?? null),
  };
}

function asyncOutput(child: Child, steps: boolean): Record<string, unknown> {
  const { exited } = child;
  const signal = exited?.data.utf8Slice() || null;
  const further = [...child.pipes.keys()].filter((fd) => fd > 2).map((fd) => [fd, showBytes(bytesOf(eventsOf(child, fd, 'delivery')))] as const);
  return {
    stdout: steps ? null : printed(child, 1),
    stderr: printed(child, 2),
    exitCode: exited && signal === null ? exited.status : null,
    signal,
    ...(further.length > 0 && { pipes: Object.fromEntries(further) }),
  };
}

function syncOutput(result: Readonly<Record<string, unknown>>, child: Child): Record<string, unknown> {
  const piped = (fd: number): unknown => {
    const bytes = asList(result['output'])[fd];
    return bytes instanceof Uint8Array ? showBytes(toBuffer(bytes)) : printed(child, fd);
  };
  return { stdout: piped(1), stderr: piped(2), exitCode: asNumber(result['status']), signal: asText(result['signal']) };
}

/** null: the child's descriptor led elsewhere. */
function printed(child: Child, fd: number): unknown {
  const relayed = child.relayed.filter(({ status }) => status === fd);
  if (!child.pipes.has(fd) && relayed.length === 0) return null;
  return showBytes(bytesOf([...eventsOf(child, fd, 'delivery'), ...relayed]));
}

function eventsOf(child: Child, fd: number, type: 'output' | 'delivery'): LaneEvent[] {
  return (child.pipes.get(fd) ?? []).filter((event) => event.type === type);
}

function bytesOf(events: readonly LaneEvent[]): Buffer {
  return bufferConcat(events.flatMap((event) => ((event.type === 'output' && event.kind !== 'shutdown') || (event.type === 'delivery' && event.kind === 'read' && event.status > 0) ? [event.data] : [])));
}

function endOf(output: Record<string, unknown> | null): string {
  if (!output) return 'not started';
  const { exitCode, signal, stdout } = output;
  const end = signal !== null ? String(signal) : exitCode === null ? 'still running' : `exit ${String(exitCode)}`;
  return typeof stdout === 'string' && stdout.trim() !== '' ? `${end}, ${clip(stdout.trim().replace(/\s+/g, ' '))}` : end;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function clip(text: string): string {
  return text.length > 120 ? `${cutAt(text, 120)}…` : text;
}
