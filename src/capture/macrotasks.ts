/** Tells deliveries that share a macrotask from others: no ticks and no promise jobs run between them. */
import { nextTick } from '../runtime/natives.ts';

export class Macrotasks {
  #ticked = true;

  /** Called once per delivery. @returns whether it comes in the macrotask of the one before */
  joins(): boolean {
    const joins = !this.#ticked;
    this.#ticked = false;
    nextTick(this.#tick);
    return joins;
  }

  readonly #tick = (): void => {
    this.#ticked = true;
  };
}
