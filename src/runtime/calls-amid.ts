/**
 * Native code that is given bytes calls the program several times while it works through them, and the runtime runs ticks
 * and promise jobs behind each call; unless JavaScript of ours gave it the bytes: then nothing runs until all is done.
 * So they are run here.
 */
import { streamBinding } from './bindings.ts';
import { nextTick, runTicks } from './natives.ts';

const { streamBaseState } = streamBinding();

/** Its name tells the stack filter where the program's stack ends. */
export function ticksAmid(): void {
  runTicks();
}

export class CallsAmid {
  #working = false;
  #called = false;
  #ticking = false;
  #errors: unknown[] = [];

  /** @param work gives native code something to work through */
  during(work: () => void): void {
    if (this.#working) return work();
    this.#working = true;
    this.#called = false;
    try {
      work();
    } finally {
      this.#working = false;
      this.#throwOnce();
    }
  }

  /** Native code has called the program. */
  begins(): void {
    if (!this.#working || this.#ticking) return;
    if (this.#called) this.#tick();
    this.#called = true;
  }

  #tick(): void {
    // Arguments of the call that has begun.
    const state = streamBaseState.slice();
    this.#ticking = true;
    try {
      ticksAmid();
    } catch (error) {
      // Nobody's fault but the tick's: the call goes on, and the error is uncaught behind it.
      this.#errors.push(error);
    } finally {
      this.#ticking = false;
      streamBaseState.set(state);
    }
  }

  #throwOnce(): void {
    const [first, ...others] = this.#errors.splice(0);
    for (const error of others) {
      nextTick(() => {
        throw error;
      });
    }
    if (first !== undefined) throw first as Error;
  }
}
