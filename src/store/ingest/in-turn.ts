/** Work that waits for others, in its order and one piece at a time, while the next piece is made on this thread. */
import { setImmediate } from '../../runtime/natives.ts';

interface Ended {
  readonly failure?: { readonly error: unknown };
}

export class InTurn<T> {
  readonly #work: (piece: T) => Promise<void>;
  #before: Promise<Ended> | undefined;

  constructor(work: (piece: T) => Promise<void>) {
    this.#work = work;
  }

  /** Waits for the piece before, and for nothing else. @throws what went wrong with that one */
  async add(piece: T): Promise<void> {
    await this.end();
    // Until somebody waits for it, a failure is no rejection that nobody handles.
    this.#before = this.#work(piece).then((): Ended => ({}), (error: unknown): Ended => ({ failure: { error } }));
  }

  /** Lets the piece that is being worked on go on. */
  async turn(): Promise<void> {
    if (this.#before) await new Promise<void>((resolve) => void setImmediate(resolve));
  }

  /** @throws what went wrong */
  async end(): Promise<void> {
    const { failure } = (await this.#before) ?? {};
    this.#before = undefined;
    if (failure) throw failure.error;
  }
}
