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

  /** @param stop ends the replay there */
  constructor(isLoose: boolean, stop: (divergence: Divergence) => void) {
    this.isLoose = isLoose;
    this.#stop = stop;
  }

  get drifts(): readonly Drift[] {
    return this.#drifts;
  }

  add(difference: Difference): void {
    const { code, ...drift } = difference;
    if (this.isLoose) this.#drifts.push(drift);
    else this.#stop(divergenceOf(difference));
  }
}

export function divergenceOf({ code, step, kind, recorded, now, firstDifference, stack }: Difference): Divergence {
  return { code, step: step ?? 0, kind, expected: recorded ?? 'nothing more', actual: now ?? 'nothing', firstDifference, stack };
}
