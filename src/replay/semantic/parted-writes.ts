/**
 * A file that versions before 26 write whole by several calls: open, write, close. Node 26 recorded them as one job. What the
 * job came to answers the calls, the last of them in the job's turn.
 */
import { encodeOutcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { jsonParse } from '../../runtime/natives.ts';
import { openedAs } from './open-flags.ts';
import type { Operations } from './operations.ts';
import type { RecordedStart, Recording } from './recording.ts';
import { answerOf, type FileAnswer, OPENS } from './whole-reads.ts';

/** No program has so many files open: no descriptor of the recording is one of these, nor of a file that is read in parts. */
const FIRST_FD = 3 << 29;

/** Of this runtime: then it is the job that a program asks for. */
const hasJobs = 'WriteFileJob' in binding('fs');

export class PartedWrites {
  readonly #recording: Recording;
  readonly #operations: Operations;
  /** The recorded job, by the descriptor that stands for its file. */
  readonly #jobs = new Map<number, RecordedStart>();
  #opened = 0;

  constructor(recording: Recording, operations: Operations) {
    this.#recording = recording;
    this.#operations = operations;
  }

  /** Whether a file is opened now that a recorded job wrote whole before the recorded program opened it for itself. */
  isNext(kind: string, key: string): boolean {
    const job = kind === 'fs' ? this.#jobFor(key) : undefined;
    const [open] = job ? this.#recording.starts.left('fs', key) : [];
    return job !== undefined && (open === undefined || job.index < open.index);
  }

  /** Whether the call is about a file that was opened here. */
  isPart(key: string): boolean {
    return this.#jobs.has((jsonParse(key) as unknown[])[1] as number);
  }

  /** @param key of a call that was not recorded @param operation of it @returns undefined where it is no part of a job that was */
  answer(slot: number, key: string, operation: number): FileAnswer | undefined {
    const [name, about, length, position] = jsonParse(key) as unknown[];
    if (OPENS.has(name)) return this.#open(slot, key);
    const job = this.#jobs.get(about as number);
    if (!job) return undefined;
    if (name === 'writeBuffer' && position === null) {
      this.#operations.join(operation, [job.event.operation]);
      return { outcome: encodeOutcome({ result: length }) };
    }
    if (name === 'fsync') return { outcome: encodeOutcome({ result: undefined }) };
    if (name !== 'close') return undefined;
    this.#jobs.delete(about as number);
    return { outcome: encodeOutcome({ result: undefined }), turnOf: job };
  }

  #open(slot: number, key: string): FileAnswer | undefined {
    const job = this.#jobFor(key);
    const answer = job && answerOf(job);
    if (!answer) return undefined;
    this.#recording.starts.take(slot, 'fs', job.event.key, (other) => other === job);
    if ('error' in answer) {
      this.#operations.unheld([job.event.operation]);
      return { outcome: encodeOutcome(answer), turnOf: job };
    }
    const fd = FIRST_FD + this.#opened++;
    this.#jobs.set(fd, job);
    return { outcome: encodeOutcome({ result: fd }) };
  }

  #jobFor(key: string): RecordedStart | undefined {
    const [open, path, flags, mode] = jsonParse(key) as unknown[];
    if (hasJobs || !OPENS.has(open) || flags === 0) return undefined;
    return this.#recording.starts.allLeft().find(({ event, turns }) => {
      if (event.kind !== 'fs' || turns.length === 0) return false;
      const [name, where, ...how] = jsonParse(event.key) as unknown[];
      return name === 'writeFile' && where === path && openedAs(how[0], how[1]) === openedAs(flags, mode);
    });
  }
}
