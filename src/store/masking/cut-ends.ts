/** Texts for people are cut, with an ellipsis where something is missing: the beginning or the end of a secret may be left. */
import type { StandIn } from './secret.ts';

const ELLIPSIS = '…';
/** Fewer characters of a secret tell nothing, and occur elsewhere. */
const SHORTEST = 6;

export class CutEnds {
  readonly #standIns: readonly StandIn[];
  readonly #longest: number;
  readonly #beginnings = new Map<string, StandIn[]>();
  readonly #ends = new Map<string, StandIn[]>();

  constructor(standIns: readonly StandIn[]) {
    this.#standIns = standIns.filter(({ value }) => value.length > SHORTEST);
    this.#longest = Math.max(0, ...this.#standIns.map(({ value }) => value.length));
    for (const standIn of this.#standIns) {
      add(this.#beginnings, standIn.value.slice(0, SHORTEST), standIn);
      add(this.#ends, standIn.value.slice(-SHORTEST), standIn);
    }
  }

  mask(text: string): string {
    if (!text.includes(ELLIPSIS)) return text;
    const parts = text.split(ELLIPSIS);
    return parts.map((part, index) => this.#part(part, index > 0, index < parts.length - 1)).join(ELLIPSIS);
  }

  #part(part: string, cutBefore: boolean, cutBehind: boolean): string {
    if (cutBefore && cutBehind && part.length >= SHORTEST) {
      const within = this.#standIns.find(({ value }) => value.includes(part));
      if (within) return within.standIn.slice(within.value.indexOf(part)).slice(0, part.length);
    }
    const masked = cutBehind ? this.#beginning(part) : part;
    return cutBefore ? this.#end(masked) : masked;
  }

  /** What is left of a secret at the end of a part. */
  #beginning(part: string): string {
    for (let at = Math.max(0, part.length - this.#longest); at <= part.length - SHORTEST; at++) {
      const rest = part.slice(at);
      const found = this.#beginnings.get(rest.slice(0, SHORTEST))?.find(({ value }) => value.startsWith(rest));
      if (found) return part.slice(0, at) + found.standIn.slice(0, rest.length);
    }
    return part;
  }

  #end(part: string): string {
    for (let length = Math.min(part.length, this.#longest); length >= SHORTEST; length--) {
      const rest = part.slice(0, length);
      const found = this.#ends.get(rest.slice(-SHORTEST))?.find(({ value }) => value.endsWith(rest));
      if (found) return found.standIn.slice(-length) + part.slice(length);
    }
    return part;
  }
}

function add(map: Map<string, StandIn[]>, name: string, standIn: StandIn): void {
  const list = map.get(name);
  if (list) list.push(standIn);
  else map.set(name, [standIn]);
}
