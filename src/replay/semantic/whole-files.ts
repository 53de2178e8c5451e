/** Files that are read or written whole: one job on some versions of Node, several calls on others. Each answers the other. */
import type { Operations } from './operations.ts';
import { PartedReads } from './parted-reads.ts';
import { PartedWrites } from './parted-writes.ts';
import type { Recording } from './recording.ts';
import { type FileAnswer, takeRead } from './whole-reads.ts';
import { takeWrite } from './whole-writes.ts';

export class WholeFiles {
  readonly #recording: Recording;
  readonly #operations: Operations;
  readonly #reads: PartedReads;
  readonly #writes: PartedWrites;

  constructor(recording: Recording, operations: Operations) {
    this.#recording = recording;
    this.#operations = operations;
    this.#reads = new PartedReads(recording);
    this.#writes = new PartedWrites(recording, operations);
  }

  /** Whether a file is opened now that was read or written whole by a recorded job, before the recorded program opened it for itself. */
  isNext(kind: string, key: string): boolean {
    return this.#reads.isNext(kind, key) || this.#writes.isNext(kind, key);
  }

  /**
   * @param key of a call that was not recorded
   * @param isOfWhole whether the runtime makes it to read or write a file whole; a program that opens it itself is another one
   * @returns undefined where it was not recorded in the other form either
   */
  answer(slot: number, key: string, operation: number, isOfWhole: () => boolean): FileAnswer | undefined {
    const read = takeRead(this.#recording, slot, key);
    if (read) return read;
    const write = takeWrite(this.#recording, slot, key);
    if (write?.hasFailed) this.#operations.unheld([operation, ...write.writes]);
    else if (write) this.#operations.join(operation, write.writes);
    if (write) return write.answer;
    if (!this.#reads.isPart(key) && !this.#writes.isPart(key) && !isOfWhole()) return undefined;
    return this.#reads.answer(slot, key) ?? this.#writes.answer(slot, key, operation);
  }
}
