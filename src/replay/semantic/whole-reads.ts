/**
 * A file that is read whole. Node 26 does that in one job; versions before it opened the file, looked at it, read and closed
 * it, each an operation of its own. What they recorded answers the job.
 */
import type { StartEvent } from '../../model/event.ts';
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { bufferConcat, jsonParse, jsonStringify } from '../../runtime/natives.ts';
import type { RecordedStart, Recording } from './recording.ts';

/** Arguments of an open for reading: flags and mode. */
const FOR_READING = [0, 0o666] as const;
export const OPENS: ReadonlySet<unknown> = new Set(['openFileHandle', 'open']);
const BETWEEN: ReadonlySet<unknown> = new Set(['fstat', 'read']);
/** As the binding writes where to read: on from the last read. */
const ONWARD = '-1';
/** Where the size lies among the numbers that `fstat` gives. */
const SIZE = 8;

interface RecordedRead {
  /** In recorded order, each with the turn in which it came to its end. */
  readonly starts: readonly RecordedStart[];
  /** What the job comes to in the turn of the last, as {@link encodeOutcome} writes it. */
  readonly outcome: Buffer;
}

/** To a call that was recorded in another form. */
export interface FileAnswer {
  /** As {@link encodeOutcome} writes it. */
  readonly outcome: Buffer;
  /** The recorded call in whose turn it comes; none: at once. */
  readonly turnOf?: RecordedStart;
  /** Recorded calls that nobody makes. */
  readonly instead?: readonly RecordedStart[];
}

/** @param key of the job @returns undefined where no recorded calls, that nobody has taken, read this file whole and do nothing else */
export function takeRead(recording: Recording, slot: number, key: string): FileAnswer | undefined {
  const [name, path] = jsonParse(key) as [string, string];
  if (name !== 'readFile') return undefined;
  for (const open of OPENS) {
    const found = recording.starts.left('fs', jsonStringify([open, path, ...FOR_READING])).map((start) => readFrom(recording, start)).find((read) => read !== undefined);
    if (!found) continue;
    for (const start of found.starts) recording.starts.take(slot, 'fs', start.event.key, (other) => other === start);
    return { outcome: found.outcome, turnOf: found.starts.at(-1) as RecordedStart, instead: found.starts.slice(0, -1) };
  }
  return undefined;
}

function readFrom(recording: Recording, opened: RecordedStart): RecordedRead | undefined {
  const answer = answerOf(opened);
  if (!answer) return undefined;
  return 'error' in answer ? { starts: [opened], outcome: encodeOutcome(answer) } : readOnFrom(recording, opened, { fd: answer.result as number });
}

/**
 * @param opened the call that opened the file; `size` where that has told of it
 * @returns undefined where the calls that follow do not read it whole, up to its close, and do nothing else
 */
export function readOnFrom({ events, starts }: Recording, opened: RecordedStart, { fd: open, size: told }: { readonly fd: number; readonly size?: number | undefined }): RecordedRead | undefined {
  const chain = [opened];
  const parts: Uint8Array[] = [];
  let failed: { readonly error: unknown } | undefined;
  let size = told;
  let isAtEnd = false;
  for (const event of events.slice(opened.index + 1)) {
    if (event.type !== 'start' || event.kind !== 'fs') continue;
    const [name, fd, , position] = jsonParse(event.key) as unknown[];
    if (fd !== open) continue;
    const start = starts.left('fs', event.key).find((other) => other.event === (event satisfies StartEvent));
    const outcome = start && answerOf(start);
    if (!outcome || !(BETWEEN.has(name) || name === 'close')) return undefined;
    chain.push(start);
    if ('error' in outcome) failed ??= outcome;
    else if (name === 'fstat') size = Number((outcome.result as ArrayLike<number>)[SIZE]);
    else if (name === 'read') {
      // A program of its own mind reads here and there.
      if (position !== ONWARD) return undefined;
      isAtEnd = outcome.result === 0;
      if (outcome.bytes) parts.push(outcome.bytes);
    }
    if (name !== 'close') continue;
    const bytes = bufferConcat(parts);
    // Or just the beginning.
    if (!failed && !isAtEnd && bytes.length !== size) return undefined;
    return { starts: chain, outcome: encodeOutcome(failed ?? { result: { fd: -1, size: bytes.length, isWhole: true }, bytes }) };
  }
  return undefined;
}

export function answerOf({ turns: [turn] }: RecordedStart): ReturnType<typeof decodeOutcome> | undefined {
  return turn && decodeOutcome(turn.event.data);
}
