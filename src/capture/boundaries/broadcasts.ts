/**
 * What was said on the broadcast channels of this thread and has not been heard on each of them. In replay the log brings it;
 * a fork that leaves its recording in between has to say it again.
 */
import { takeMessage } from '../../runtime/ports.ts';
import type { PortState } from './ports.ts';

interface Said {
  readonly from: PortState;
  readonly message: unknown;
  readonly to: readonly PortState[];
  /** By which they are in the order in which they were said. */
  readonly number: number;
}

interface Channel {
  readonly name: string;
  readonly unheard: Said[];
}

export class Broadcasts {
  readonly #channels = new Map<PortState, Channel>();
  #count = 0;

  open(state: PortState, name: string): void {
    this.#channels.set(state, { name, unheard: [] });
  }

  ended(state: PortState): void {
    this.#channels.delete(state);
  }

  /** @param message a clone */
  said(from: PortState, message: unknown): void {
    const said = { from, message, to: this.#othersOf(from), number: ++this.#count };
    for (const other of said.to) this.#channels.get(other)?.unheard.push(said);
  }

  heard(state: PortState): void {
    this.#channels.get(state)?.unheard.shift();
  }

  /** @param post says it for real @returns whether all of it could be said to those, and to those alone, that have not heard it */
  sayAgain(post: (from: PortState, message: unknown) => void): boolean {
    const unheard = [...new Set([...this.#channels.values()].flatMap(({ unheard: said }) => said))].sort((one, other) => one.number - other.number);
    const isWhole = unheard.every((said) => {
      const others = this.#othersOf(said.from);
      return others.length === said.to.length && said.to.every((other) => others.includes(other) && this.#channels.get(other)?.unheard.includes(said));
    });
    if (!isWhole || !unheard.every(({ from }) => this.#reaches(from, post))) return false;
    for (const { from, message } of unheard) post(from, message);
    return true;
  }

  /** Whether both ends are open: nothing else is on its way between them. */
  #reaches(from: PortState, post: (from: PortState, message: unknown) => void): boolean {
    post(from, undefined);
    return this.#othersOf(from).map(({ port }) => takeMessage(port)).every((taken) => taken !== undefined);
  }

  #othersOf(state: PortState): PortState[] {
    const name = this.#channels.get(state)?.name;
    return [...this.#channels].flatMap(([other, channel]) => (other !== state && channel.name === name ? [other] : []));
  }
}
