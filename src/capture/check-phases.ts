/**
 * Turns of native code. The runtime gives it one at the beginning of each check phase, before the program's immediates run: all
 * that it has put off is done then, in order. What was put off earlier, and has nothing left to do, may still do what is put off
 * later: so a replay has to give these turns where the recorded run had them.
 *
 * An immediate that is made while immediates run is for the next phase. So the phases of immediates can be told from when they
 * were made; a phase without one is told by an event.
 */
export class CheckPhases {
  #moment = 0;
  /** When the phase of the latest delivery began; undefined: that was no immediate. */
  #began: number | undefined;
  readonly #made: Map<number, number> = new Map();

  /** The program makes an immediate. */
  made(operation: number): void {
    this.#made.set(operation, ++this.#moment);
  }

  /** It is not to run any more. */
  forget(operation: number): void {
    this.#made.delete(operation);
  }

  /** Whether a phase begins with the delivery of this operation. */
  beginsWith(operation: number): boolean {
    const made = this.#made.get(operation);
    return made !== undefined && (this.#began === undefined || made > this.#began);
  }

  delivered(operation: number): void {
    this.#moment++;
    if (this.beginsWith(operation)) this.#began = this.#moment;
    else if (!this.#made.has(operation)) this.#began = undefined;
    this.#made.delete(operation);
  }

  get now(): number {
    return this.#moment;
  }

  /** Whether the phase of now has begun without an immediate of the program's. @param since when what runs now was put off */
  isBare(since: number): boolean {
    return this.#began === undefined || this.#began <= since;
  }

  /** A phase has begun. */
  turned(): void {
    this.#began = ++this.#moment;
  }
}
