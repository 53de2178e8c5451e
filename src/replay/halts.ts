/** Where a partial replay stops, and what stops it. */
import type { LaneEvent } from '../model/event.ts';
import { jsonStringify } from '../runtime/natives.ts';
import { agentIsOnStack } from '../runtime/stack.ts';
import type { Origins } from './origins.ts';

/** What the program is told to do when it goes on: to the next stop, to the end, or nowhere. */
export type Answer = 'on' | 'run' | 'end';

/** A stop as the command line hears of it; `origin`: the call of the agent's own code that a later step came from. */
export type Told = { readonly kind: 'step'; readonly step: number; readonly asks: string } | { readonly kind: 'origin'; readonly origin: number };

export interface HaltOptions {
  /** Numbers of steps, ascending: a stop before each is answered. */
  readonly steps: readonly number[];
  /** Numbers of calls ({@link Origins}) to stop at, too. */
  readonly origins: readonly number[];
  /** Stands still until it is told how to go on. @param told JSON of {@link Told} */
  readonly stop: (told: string) => Answer;
  readonly trace: Origins;
}

/** Is told of each event that the program asks for, or is about to be given. */
export interface Halting {
  /** @returns whether the replay ends here */
  passing(due: LaneEvent, asks: () => string): boolean;
}

export class Halts implements Halting {
  readonly #options: HaltOptions;
  #at = 0;

  constructor(options: HaltOptions) {
    this.#options = options;
    const origins = new Set(options.origins);
    if (origins.size > 0) options.trace.start((origin) => {
      if (origins.has(origin)) this.#stop({ kind: 'origin', origin });
    });
  }

  /** The event is due, and the program asks for it or is about to be given it. @returns whether the replay ends here */
  passing(due: LaneEvent, asks: () => string): boolean {
    for (let step = this.#options.steps[this.#at]; step !== undefined && step <= due.seq; step = this.#options.steps[this.#at]) {
      this.#at++;
      if (this.#stop({ kind: 'step', step, asks: asks() }) === 'end') return true;
    }
    return false;
  }

  #stop(told: Told): Answer {
    const answer = this.#options.stop(jsonStringify(told));
    if (answer === 'run') this.#at = this.#options.steps.length;
    return answer;
  }
}

/** Goes to the last step without a stop, and finds the call of the agent's own code behind each step that has none of it on its stack. */
export class OriginSearch {
  readonly #steps: readonly number[];
  readonly #trace: Origins;
  readonly #found: (origins: Readonly<Record<number, number>>) => void;
  readonly #origins: Record<number, number> = {};
  #at = 0;

  constructor(steps: readonly number[], trace: Origins, found: (origins: Readonly<Record<number, number>>) => void) {
    this.#steps = steps;
    this.#trace = trace;
    this.#found = found;
    trace.start(() => {});
  }

  passing(due: LaneEvent): boolean {
    for (let step = this.#steps[this.#at]; step !== undefined && step <= due.seq; step = this.#steps[this.#at]) {
      this.#at++;
      const origin = agentIsOnStack() ? undefined : this.#trace.nearest();
      if (origin !== undefined) this.#origins[step] = origin;
    }
    if (this.#at < this.#steps.length) return false;
    this.#found(this.#origins);
    return true;
  }
}
