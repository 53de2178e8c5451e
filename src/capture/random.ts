/** The run's `Math.random` stream: seedrandom's alea with 53 bits, drawn from a recorded seed, counted. */
import alea from 'seedrandom/lib/alea.js';

export class RandomStream {
  /** Draws since the journal last took note. */
  draws = 0;
  readonly next: () => number;

  constructor(seed: string) {
    const generator = alea(seed);
    this.next = () => {
      this.draws++;
      return generator.double();
    };
  }

  /** @returns draws since the last call. */
  take(): number {
    const { draws } = this;
    this.draws = 0;
    return draws;
  }
}
