/** Finds the recorded answer of a request: by meaning, identical calls in recorded order, and never by guess. */
import type { RecordedExchange } from './exchanges.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import { isSame, type Meaning, meaningOf, type Rules } from './meaning.ts';
import { distance } from './likeness.ts';

export interface Candidate {
  readonly exchange: RecordedExchange;
  readonly meaning: Meaning;
  isTaken: boolean;
}

export type Match = { readonly found: Candidate } | { readonly ambiguous: readonly Candidate[] } | undefined;

export class Matcher {
  /** In recorded order. */
  readonly #candidates: readonly Candidate[];
  readonly #byHash: Map<string, Candidate[]> = new Map();
  readonly #sameRuntime: boolean;

  constructor(exchanges: readonly RecordedExchange[], rules: Rules, sameRuntime: boolean) {
    this.#sameRuntime = sameRuntime;
    this.#candidates = exchanges.map((exchange) => ({ exchange, meaning: meaningOf(exchange.request, rules), isTaken: false }));
    for (const candidate of this.#candidates) {
      const same = this.#byHash.get(candidate.meaning.hash);
      if (same) same.push(candidate);
      else this.#byHash.set(candidate.meaning.hash, [candidate]);
    }
  }

  /** Recorded calls, in order. */
  get all(): readonly Candidate[] {
    return this.#candidates;
  }

  /** Recorded calls that nobody has asked for. */
  get left(): readonly Candidate[] {
    return this.#candidates.filter(({ isTaken }) => !isTaken);
  }

  find(asked: Meaning): Match {
    const same = (this.#byHash.get(asked.hash) ?? []).filter(({ isTaken, meaning }) => !isTaken && isSame(meaning, asked, this.#sameRuntime));
    const exact = same.filter(({ meaning }) => meaning.circumstances === asked.circumstances);
    const [first, ...others] = exact.length > 0 ? exact : same;
    if (!first) return undefined;
    const isInTurn = others.every((other) => other.meaning.ignored === first.meaning.ignored || first.exchange.lastSeq < other.exchange.seq || hasSameAnswer(first.exchange, other.exchange));
    return isInTurn ? { found: first } : { ambiguous: [first, ...others] };
  }

  /** Whether the same was asked in the recorded run and given up before any answer: how often such a request leaves is a matter of moments. */
  isGivenUp(asked: Meaning): boolean {
    return (this.#byHash.get(asked.hash) ?? []).some(({ exchange, meaning }) => exchange.response === null && exchange.end === 'aborted' && isSame(meaning, asked, this.#sameRuntime));
  }

  /** The call that was recorded in the place of one that is not in the recording. */
  counterpart(asked: Meaning, among: readonly Candidate[], rivals: readonly Meaning[]): Match {
    const likely = nearest(among, (candidate) => distance(candidate.meaning.form, asked.form));
    if (likely.length > 1) return { ambiguous: likely };
    const [found] = likely;
    if (!found) return undefined;
    // Another call may be what became of it.
    const own = distance(found.meaning.form, asked.form);
    if (rivals.some((rival) => distance(found.meaning.form, rival.form) < own)) return undefined;
    return { found };
  }
}

/** @returns those that are least far away; several where they are equally far */
function nearest(among: readonly Candidate[], far: (candidate: Candidate) => number): Candidate[] {
  let best = Infinity;
  let found: Candidate[] = [];
  for (const candidate of among) {
    const value = far(candidate);
    if (value === Infinity || value > best) continue;
    if (value < best) found = [];
    best = value;
    found.push(candidate);
  }
  return found;
}

function hasSameAnswer(a: RecordedExchange, b: RecordedExchange): boolean {
  return a.answer.reduce((sum, { length }) => sum + length, 0) === b.answer.reduce((sum, { length }) => sum + length, 0) && bufferConcat(a.answer).equals(bufferConcat(b.answer));
}
