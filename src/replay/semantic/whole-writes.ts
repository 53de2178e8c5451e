/**
 * A file that is written whole. Node 26 does that in one job; versions before it opened the file, wrote and closed it, each
 * an operation of its own. What they recorded answers the job.
 */
import { encodeOutcome } from '../../model/value.ts';
import { jsonParse } from '../../runtime/natives.ts';
import { openedAs } from './open-flags.ts';
import type { RecordedStart, Recording } from './recording.ts';
import { answerOf, type FileAnswer, OPENS } from './whole-reads.ts';

const BETWEEN: ReadonlySet<unknown> = new Set(['writeBuffer', 'fsync']);

export interface RecordedWrite {
  readonly answer: FileAnswer;
  /** Of the recorded calls, by operation: what was written by them, in this order. */
  readonly writes: readonly number[];
  readonly hasFailed: boolean;
}

/** @param key of the job @returns undefined where no recorded calls, that nobody has taken, write this file whole and do nothing else */
export function takeWrite(recording: Recording, slot: number, key: string): RecordedWrite | undefined {
  const [name, path, flags, mode] = jsonParse(key) as unknown[];
  if (name !== 'writeFile') return undefined;
  for (const opened of recording.starts.allLeft()) {
    if (opened.event.kind !== 'fs') continue;
    const [open, where, ...how] = jsonParse(opened.event.key) as unknown[];
    if (!OPENS.has(open) || where !== path || openedAs(how[0], how[1]) !== openedAs(flags, mode)) continue;
    const chain = chainFrom(recording, opened);
    if (!chain) continue;
    for (const start of chain) recording.starts.take(slot, 'fs', start.event.key, (other) => other === start);
    const failed = chain.map((start) => answerOf(start)).find((answer) => answer !== undefined && 'error' in answer);
    return {
      answer: { turnOf: chain.at(-1) as RecordedStart, instead: chain.slice(0, -1), outcome: encodeOutcome(failed ?? { result: undefined }) },
      writes: chain.map(({ event }) => event.operation), hasFailed: failed !== undefined,
    };
  }
  return undefined;
}

/** @returns the calls from the open to the close, if they write from the beginning on, and do nothing else */
function chainFrom({ events, starts }: Recording, opened: RecordedStart): RecordedStart[] | undefined {
  const answer = answerOf(opened);
  if (!answer) return undefined;
  const chain = [opened];
  if ('error' in answer) return chain;
  for (const event of events.slice(opened.index + 1)) {
    if (event.type !== 'start' || event.kind !== 'fs') continue;
    const [name, fd, , position] = jsonParse(event.key) as unknown[];
    if (fd !== answer.result) continue;
    const start = starts.left('fs', event.key).find((other) => other.event === event);
    const isAtPosition = name === 'writeBuffer' && position !== null;
    if (!start?.turns[0] || isAtPosition || !(BETWEEN.has(name) || name === 'close')) return undefined;
    chain.push(start);
    if (name === 'close') return chain;
  }
  return undefined;
}
