/** What the recording has of each connection: before the fork begins, and what came in after. */
import type { LaneEvent } from '../../model/event.ts';

export interface Piece {
  /** By the program; otherwise it came in. */
  readonly isSent: boolean;
  readonly bytes: Buffer;
}

const NONE: readonly Piece[] = [];

export class RecordedConnections {
  readonly #before = new Map<number, Piece[]>();
  readonly #after = new Map<number, Piece[]>();

  /** @param from number of the first event that is not replayed */
  constructor(events: readonly LaneEvent[], from: number) {
    for (const event of events) {
      const isSent = event.type === 'output' && event.kind === 'write';
      if (!isSent && !(event.type === 'delivery' && event.kind === 'read' && event.status > 0)) continue;
      const side = event.seq < from ? this.#before : this.#after;
      const pieces = side.get(event.operation);
      if (pieces) pieces.push({ isSent, bytes: event.data });
      else side.set(event.operation, [{ isSent, bytes: event.data }]);
    }
  }

  /** What the program sent first, by the time that the fork begins. */
  firstSent(operation: number): Buffer | undefined {
    return this.#before.get(operation)?.find(({ isSent }) => isSent)?.bytes;
  }

  /** @param reads of those that came in after the fork had begun, how many the program was still given */
  had(operation: number, reads: number): readonly Piece[] {
    return [...(this.#before.get(operation) ?? NONE), ...this.#readsAfter(operation).slice(0, reads)];
  }

  /** What came in behind {@link had}. */
  left(operation: number, reads: number): Buffer[] {
    return this.#readsAfter(operation).slice(reads).map(({ bytes }) => bytes);
  }

  #readsAfter(operation: number): Piece[] {
    return (this.#after.get(operation) ?? []).filter(({ isSent }) => !isSent);
  }
}
