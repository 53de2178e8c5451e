/** Timers of the program that the recording does not have: they fire in the order of their due times, by the recorded clock. */

interface Extra {
  /** Microseconds since the run began. */
  due: number;
  readonly delayUs: number;
  readonly operation: number;
  /** @returns whether somebody still waits for it */
  readonly fire: () => boolean;
}

const US_PER_MS = 1000;
/** A program that only waits for what does not come would go on for ever. */
const BEYOND = 10_000;

export class ExtraTimers {
  readonly #timers: Map<number, Extra> = new Map();
  #beyond = 0;

  add(operation: number, at: number, delayMs: number, fire: () => boolean): void {
    const delayUs = Math.max(1, delayMs) * US_PER_MS;
    this.#timers.set(operation, { operation, due: at + delayUs, delayUs, fire });
  }

  /** @param until microseconds since the run began. @returns whether one is due before */
  run(until: number, run: (at: number, fire: () => void) => void): boolean {
    let next: Extra | undefined;
    for (const timer of this.#timers.values()) if (timer.due < until && (!next || timer.due < next.due)) next = timer;
    if (!next || (until === Infinity && ++this.#beyond > BEYOND)) return false;
    const { due, delayUs, operation, fire } = next;
    // One that repeats, or is started again, has its next turn after the same time.
    next.due = due + delayUs;
    run(due, () => {
      if (!fire()) this.#timers.delete(operation);
    });
    return true;
  }
}
