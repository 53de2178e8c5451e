/**
 * Turns of native code. The runtime gives it one at the beginning of each check phase, before immediates run: all that it has put
 * off is done then, in order. What was put off earlier, and has nothing left to do, may still do what is put off later: so a
 * replay has to give these turns where the recorded run had them.
 *
 * An immediate that is made while immediates run is for the next phase: so when they were made tells which begin one.
 */
export class CheckPhases {
  #moment = 0;
  /** When the phase of now began; undefined: no immediate runs now. */
  #began: number | undefined;
  readonly #made: Map<number, number> = new Map();

  /** @returns the moment at which an immediate is made now */
  mark(): number {
    return ++this.#moment;
  }

  /** The program makes an immediate. */
  made(operation: number): void {
    this.#made.set(operation, this.mark());
  }

  /** @returns when the immediate was made; undefined where the operation is none, or is not to run any more */
  take(operation: number): number | undefined {
    const made = this.#made.get(operation);
    if (made !== undefined) this.#made.delete(operation);
    return made;
  }

  /** An immediate runs. @returns whether a phase begins with it */
  begins(made: number): boolean {
    const now = this.mark();
    if (this.#began !== undefined && made < this.#began) return false;
    this.#began = now;
    return true;
  }

  /** Something else runs. */
  left(): void {
    this.#began = undefined;
  }
}
