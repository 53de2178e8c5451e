/** Of a fork that swaps two things: what is held back until the other has come. */
import type { Kind, LaneEvent } from '../../model/event.ts';
import { clearTimeout } from '../../runtime/natives.ts';
import { ownImmediate, ownTimeout } from '../../runtime/own.ts';

/** Two things that the recording brings, in the other order. */
export interface Swap {
  /** Number of the delivery that is not made: the first of those that are held back. */
  readonly at: number;
  /** The operation whose deliveries are held back, and their numbers. */
  readonly first: number;
  readonly held: readonly number[];
  /** Until this one's last delivery was made: an operation that was under way, or the timer that is set as the `place`th with this key. */
  readonly second: { readonly last: number } & ({ readonly operation: number } | { readonly key: string; readonly place: number });
}

interface Waiting {
  /** Microseconds since the run began, when it came in the recording; undefined: a timer, which has no such time. */
  readonly at: number | undefined;
  readonly deliver: () => void;
}

/** Milliseconds that the other may take longer than it was recorded to take. */
const PATIENCE_MS = 20_000;

export class Order {
  readonly #swap: Swap | undefined;
  readonly #held: ReadonlySet<number>;
  readonly #waiting: Waiting[] = [];
  #second: number | undefined;
  #place: number;
  #isOver: boolean;
  #patience: NodeJS.Timeout | undefined;

  constructor(swap: Swap | undefined) {
    this.#swap = swap;
    this.#held = new Set(swap?.held);
    this.#second = swap && 'operation' in swap.second ? swap.second.operation : undefined;
    this.#place = swap && 'place' in swap.second ? swap.second.place : 0;
    this.#isOver = swap === undefined;
  }

  /** @param never is called where the other does not come @param recordedMs how long it took in the recording */
  begin(recordedMs: number, never: () => void): void {
    if (this.#isOver) return;
    this.#patience = ownTimeout(never, recordedMs + PATIENCE_MS);
    this.#patience.unref();
  }

  get lastOfOther(): number | undefined {
    return this.#swap?.second.last;
  }

  starts(operation: number, kind: Kind, key: string): void {
    if (this.#isOver || this.#second !== undefined || kind !== 'timer' || !this.#swap || !('key' in this.#swap.second) || this.#swap.second.key !== key) return;
    if (--this.#place === 0) this.#second = operation;
  }

  /** Something that the recording brings is due. */
  recorded(event: LaneEvent & { readonly operation: number }, deliver: () => void): void {
    const isSame = this.#swap?.first === this.#second;
    if (!this.#isOver && (isSame ? this.#held.has(event.seq) : event.operation === this.#swap?.first)) return void this.#waiting.push({ at: event.at, deliver });
    deliver();
    if (event.seq === this.lastOfOther) this.#release();
  }

  /** A timer is due. */
  fired(operation: number, deliver: () => void): void {
    if (!this.#isOver && operation === this.#swap?.first) return void this.#waiting.push({ at: undefined, deliver });
    deliver();
    if (operation === this.#second) this.#release();
  }

  /** Nobody waits for it any more. */
  gone(operation: number): void {
    if (operation === this.#second && !this.#isOver) this.#release();
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#patience);
    // Behind the turn in which the other is delivered, which is on its way.
    ownImmediate(() => {
      const [first] = this.#waiting;
      for (const { at, deliver } of this.#waiting) ownTimeout(deliver, at === undefined || first?.at === undefined ? 0 : (at - first.at) / 1000);
    });
  }
}
