/**
 * A file that versions before 26 read whole by several calls: open, look at it, read, close. Node 26 recorded them as one job.
 * What the job brought answers the calls; the last of them comes in the job's turn.
 */
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { jsonParse, jsonStringify } from '../../runtime/natives.ts';
import type { RecordedStart, Recording } from './recording.ts';
import { answerOf, type FileAnswer, OPENS, readOnFrom } from './whole-reads.ts';

/** No program has so many files open: no descriptor of the recording is one of these. */
const FIRST_FD = 1 << 30;
/** Numbers that `fstat` gives: the kind of file among them, and its size. */
const STATS = 18;
const MODE = 1;
const SIZE = 8;
const REGULAR = 0o100644;

/** Of this runtime: then it is the job that a program asks for. */
const hasJobs = 'ReadFileJob' in binding('fs');

interface PartedRead {
  /** The recorded call that ended it. */
  readonly last: RecordedStart;
  readonly bytes: Uint8Array;
  position: number;
}

/** What the job comes to: a large file is left open, and read on. */
interface JobResult {
  readonly fd: number;
  readonly size?: number;
  readonly isWhole: boolean;
}

export class PartedReads {
  readonly #recording: Recording;
  readonly #reads = new Map<number, PartedRead>();
  #opened = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Whether a file is opened now that a recorded job read whole before the recorded program opened it for itself. */
  isNext(kind: string, key: string): boolean {
    if (hasJobs || kind !== 'fs') return false;
    const [name, path, flags] = jsonParse(key) as unknown[];
    if (!OPENS.has(name) || flags !== 0) return false;
    const { starts } = this.#recording;
    const [job] = starts.left('fs', jsonStringify(['readFile', path]));
    const [open] = starts.left('fs', key);
    return job !== undefined && (open === undefined || job.index < open.index);
  }

  /** Whether the call is about a file that was opened here. */
  isPart(key: string): boolean {
    const [, fd] = jsonParse(key) as unknown[];
    return typeof fd === 'number' && this.#reads.has(fd);
  }

  /** @param key of a call that was not recorded @returns undefined where it is no part of a job that was */
  answer(slot: number, key: string): FileAnswer | undefined {
    const [name, about, ...rest] = jsonParse(key) as unknown[];
    if (OPENS.has(name)) return !hasJobs && rest[0] === 0 ? this.#open(slot, about) : undefined;
    const read = typeof about === 'number' ? this.#reads.get(about) : undefined;
    if (!read) return undefined;
    if (name === 'fstat') return { outcome: encodeOutcome({ result: statsOf(read) }) };
    if (name === 'read') return readOn(read, rest);
    if (name !== 'close') return undefined;
    this.#reads.delete(about as number);
    return { outcome: encodeOutcome({ result: undefined }), turnOf: read.last };
  }

  #open(slot: number, path: unknown): FileAnswer | undefined {
    const key = jsonStringify(['readFile', path]);
    const { starts } = this.#recording;
    for (const start of starts.left('fs', key)) {
      const answer = answerOf(start);
      if (!answer) continue;
      const result = 'error' in answer ? undefined : (answer.result as JobResult);
      const read = result && !result.isWhole ? readOnFrom(this.#recording, start, result) : undefined;
      if (result && !result.isWhole && !read) continue;
      const taken = read?.starts ?? [start];
      for (const one of taken) starts.take(slot, 'fs', one.event.key, (other) => other === one);
      if ('error' in answer) return { outcome: encodeOutcome(answer), turnOf: start };
      return this.#opens(taken, read ? decodeOutcome(read.outcome) : answer);
    }
    return undefined;
  }

  #opens(taken: readonly RecordedStart[], whole: Outcome): FileAnswer {
    const last = taken.at(-1) as RecordedStart;
    const instead = taken.slice(0, -1);
    if ('error' in whole) return { outcome: encodeOutcome(whole), turnOf: last, instead };
    const fd = FIRST_FD + this.#opened++;
    this.#reads.set(fd, { last, bytes: whole.bytes ?? new Uint8Array(0), position: 0 });
    return { outcome: encodeOutcome({ result: fd }), instead };
  }
}

function statsOf({ bytes }: PartedRead): Float64Array {
  const stats = new Float64Array(STATS);
  stats[MODE] = REGULAR;
  stats[SIZE] = bytes.length;
  return stats;
}

/** @param asked how much, and from where: none or less than none is where the last read ended */
function readOn(read: PartedRead, [length, position]: readonly unknown[]): FileAnswer | undefined {
  if (typeof length !== 'number' || Number(position) >= 0) return undefined;
  const bytes = read.bytes.slice(read.position, read.position + length);
  read.position += bytes.length;
  return { outcome: encodeOutcome({ result: bytes.length, bytes }) };
}
