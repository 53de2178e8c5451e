/**
 * How closely deliveries follow each other. Native code does work of its own (sends what HTTP/2 has queued) between the turns
 * of two deliveries or behind them, and calls the program from there: exact replay needs to know which.
 */
import { TOGETHER } from '../model/event.ts';
import { nextTick } from '../runtime/natives.ts';
import { ownImmediate } from '../runtime/own.ts';

export class TurnWatch {
  readonly #waiting: (() => void)[] = [];
  #immediate!: NodeJS.Immediate;
  #turned = true;
  #ticked = true;

  constructor() {
    this.#arm();
  }

  /** Called once per delivery. @returns how it follows the one before; 0: native immediates ran in between */
  follows(): number {
    const relation = this.#turned ? 0 : this.#ticked ? TOGETHER.samePhase : TOGETHER.sameMacrotask;
    this.#turned = false;
    this.#ticked = false;
    nextTick(this.#tick);
    return relation;
  }

  /** Calls `deliver` right behind the native immediates, and no other in the same turn: where a replay can wait for its outcome. */
  afterTurn(deliver: () => void): void {
    this.#waiting.push(deliver);
    this.#immediate.ref();
  }

  /** Queued while the first immediate of a turn runs, the next one is the first of its own. */
  #arm(): void {
    this.#immediate = ownImmediate(this.#turn);
    if (this.#waiting.length === 0) this.#immediate.unref();
  }

  readonly #turn = (): void => {
    this.#turned = true;
    const deliver = this.#waiting.shift();
    this.#arm();
    deliver?.();
  };

  readonly #tick = (): void => {
    this.#ticked = true;
  };
}
