/** Replayed output is real output: it goes where the recorded run's went, as much of it as went there. */
import { nativeFs } from '../runtime/natives.ts';

/** The two standard streams that the program writes to, by the operation that stands for their handle. */
export class Printer {
  readonly #streams: ReadonlyMap<number, number>;
  /** Writes that the recorded process handed to the loop, in order, until they are known to have left. */
  readonly #held: Map<number, Uint8Array[]> = new Map();

  /** @param streams descriptor of each standard stream's operation */
  constructor(streams: ReadonlyMap<number, number>) {
    this.#streams = streams;
  }

  /** @param queued the reader was slow: the bytes left later, or never */
  wrote(operation: number, bytes: Uint8Array, queued: boolean): void {
    const fd = this.#streams.get(operation);
    if (fd !== 1 && fd !== 2) return;
    if (!queued) return print(fd, bytes);
    const held = this.#held.get(operation);
    if (held) held.push(bytes);
    else this.#held.set(operation, [bytes]);
  }

  /** The oldest write that was held has left. */
  left(operation: number): void {
    const bytes = this.#held.get(operation)?.shift();
    if (bytes) print(this.#streams.get(operation) as number, bytes);
  }

  /** A child of the recorded process printed this. */
  relayed(fd: number, bytes: Uint8Array): void {
    print(fd, bytes);
  }

  /** The process ends. @param unsent bytes that never left */
  end(operation: number, unsent: number): void {
    const held = this.#held.get(operation) ?? [];
    this.#held.delete(operation);
    let remaining = held.reduce((sum, bytes) => sum + bytes.length, 0) - unsent;
    for (const bytes of held) {
      if (remaining <= 0) return;
      print(this.#streams.get(operation) as number, bytes.subarray(0, remaining));
      remaining -= bytes.length;
    }
  }

  /** Nothing is known of what left: all of it is shown. */
  flush(): void {
    for (const operation of [...this.#held.keys()]) this.end(operation, 0);
  }
}

function print(fd: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += nativeFs.writeSync(fd, bytes, at);
    } catch (error) {
      // Whoever reads is slow; whoever stopped reading does not stop the replay.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}
