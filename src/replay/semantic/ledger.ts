/** In what a replay by meaning differs from its recording: the first difference ends it, or all are listed. */
import type { Divergence, Drift } from '../../model/divergence.ts';

export interface Difference extends Drift {
  readonly code: Divergence['code'];
}

export class Ledger {
  readonly #drifts: Drift[] = [];
  /** Code was changed on purpose: the replay goes on behind a difference. */
  readonly isLoose: boolean;
  readonly #stop: (divergence: Divergence) => void;

  readonly #due: () => number;

  /** @param stop ends the replay there @param due number of the event that is due */
  constructor(isLoose: boolean, stop: (divergence: Divergence) => void, due: () => number) {
    this.isLoose = isLoose;
    this.#stop = stop;
    this.#due = due;
  }

  get drifts(): readonly Drift[] {
    return this.#drifts;
  }

  add(difference: Difference): void {
    const { code, ...drift } = difference;
    if (this.isLoose) this.#drifts.push(drift);
    else this.#stop(divergenceOf(difference, this.#due()));
  }
}

/** @param due where there is no recorded counterpart */
export function divergenceOf({ code, step, kind, recorded, now, firstDifference, stack }: Difference, due: number): Divergence {
  return { code, step: step ?? due, kind, expected: recorded ?? 'nothing more', actual: now ?? 'nothing', firstDifference, stack };
}
