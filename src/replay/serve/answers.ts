/** Which recorded call a request of another program is: by the rules of a replay by meaning, in all threads of a run, never by guess. */
import type { Divergence } from '../../model/divergence.ts';
import type { MatchRule } from '../../model/config.ts';
import type { LaneEvent } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import type { HttpRequest } from '../../steps/http1.ts';
import type { RecordedExchange } from '../semantic/exchanges.ts';
import { type Candidate, type Match, Matcher } from '../semantic/matcher.ts';
import { differenceOf, type Meaning, meaningOf, rulesOf } from '../semantic/meaning.ts';
import type { Network } from '../semantic/network.ts';
import { Recording } from '../semantic/recording.ts';
import { unservable } from '../semantic/servable.ts';

/** What a library adds of its own, and what says nothing about the question. */
const OF_THE_LIBRARY = ['accept-language', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-dest', 'priority'];

/** What one recorded read brought: bytes, or how the connection ended (negative). */
export interface AnswerPiece {
  readonly status: number;
  readonly bytes: Buffer;
}

export interface Answer {
  readonly step: number;
  readonly pieces: readonly AnswerPiece[];
  /** Whether the recording has all of it. */
  readonly isWhole: boolean;
}

export type Problem = Omit<Divergence, 'stack'>;

/** An address that the recorded run called: what a base URL stands for. */
export interface Origin {
  readonly scheme: 'http' | 'https';
  /** As in a Host header. */
  readonly authority: string;
}

interface Lane {
  readonly matcher: Matcher;
  readonly pieces: ReadonlyMap<RecordedExchange, readonly AnswerPiece[]>;
}

interface Found {
  readonly lane: Lane;
  readonly candidate: Candidate;
}

export class Answers {
  /** Addresses that were called over HTTP/1. */
  readonly origins: readonly Origin[];
  /** By name, what the run holds that is not answered. */
  readonly unserved: readonly string[];
  readonly #lanes: readonly Lane[];
  readonly #rules: ReturnType<typeof rulesOf>;
  readonly #network: Network;

  /** @param lanes events of each thread of the run */
  constructor(lanes: readonly (readonly LaneEvent[])[], ignore: readonly MatchRule[], network: Network) {
    const recordings = lanes.map((events) => new Recording(events));
    this.#rules = rulesOf([...ignore, ...OF_THE_LIBRARY.map((header) => ({ header }))]);
    this.#network = network;
    this.#lanes = recordings.map((recording) => ({ matcher: new Matcher(recording.exchanges, this.#rules, false), pieces: piecesOf(recording) }));
    this.unserved = [...new Set(recordings.flatMap((recording) => unservable(recording)))].filter((name) => /^(?:connections that|HTTP\/2)/.test(name));
    const origins = new Map<string, Origin>();
    for (const { url } of recordings.flatMap(({ exchanges }) => exchanges.map(({ request }) => request))) {
      const [whole = '', scheme = '', authority = ''] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? [];
      if (whole !== '') origins.set(whole, { scheme: scheme === 'https' ? 'https' : 'http', authority });
    }
    this.origins = [...origins.values()];
  }

  get total(): number {
    return this.#lanes.reduce((sum, { matcher }) => sum + matcher.all.length, 0);
  }

  /** Recorded calls that nobody has asked for, in order: their steps and names. */
  get unused(): { readonly step: number; readonly name: string }[] {
    return this.#lanes.flatMap(({ matcher }) => matcher.left.map(({ exchange }) => ({ step: exchange.seq, name: nameOf(exchange.request) })));
  }

  /** @param meant the request; several where it may be meant for several addresses */
  async find(meant: readonly HttpRequest[]): Promise<Answer | Problem> {
    const [request] = meant;
    if (!request) return nothingLike('a request, and the run called no address over HTTP/1');
    const meanings = meant.map((one) => meaningOf(one, this.#rules));
    let problem: Problem | undefined;
    let found: Found | undefined;
    await new Promise<void>((resolve) => {
      this.#network.ask({
        method: request.method, url: request.url, headers: request.headers, body: request.body,
        match: () => {
          const match = this.#search(meanings);
          if (match && 'problem' in match) problem = ambiguous(request, match.problem);
          else found = match;
          if (found) found.candidate.isTaken = true;
          return found !== undefined;
        },
        answered: resolve,
        refused: () => resolve(),
      });
    });
    if (found) return answerOf(found);
    return problem ?? this.#unknown(meant, meanings);
  }

  #search(meanings: readonly Meaning[]): Found | { readonly problem: readonly Candidate[] } | undefined {
    const found: Found[] = [];
    for (const lane of this.#lanes) {
      for (const meaning of meanings) {
        const match: Match = lane.matcher.find(meaning);
        if (match && 'ambiguous' in match) return { problem: match.ambiguous };
        if (match) found.push({ lane, candidate: match.found });
      }
    }
    const [first, ...others] = found;
    // Of several threads or addresses nobody says which comes first.
    return first && others.some((other) => !bytesOf(other).equals(bytesOf(first))) ? { problem: found.map(({ candidate }) => candidate) } : first;
  }

  #unknown(meant: readonly HttpRequest[], meanings: readonly Meaning[]): Problem {
    const request = meant[0] as HttpRequest;
    const before = this.#lanes.flatMap(({ matcher }) => matcher.all.filter(({ isTaken, meaning }) => isTaken && meanings.some(({ hash }) => hash === meaning.hash)));
    const last = before.at(-1);
    if (last) {
      const times = before.length === 1 ? 'once' : `${before.length} times`;
      return { code: 'REPLAY_EXHAUSTED', step: last.exchange.seq, kind: 'http request', expected: `this call ${times}, and each has been answered`, actual: `${nameOf(request)} once more`, firstDifference: { field: 'call', expected: '(none)', actual: nameOf(request) } };
    }
    for (const [index, meaning] of meanings.entries()) {
      for (const { matcher } of this.#lanes) {
        const match = matcher.counterpart(meaning, matcher.left, []);
        const likely = match && ('found' in match ? match.found : match.ambiguous[0]);
        if (!likely) continue;
        return { code: 'REPLAY_MISMATCH', step: likely.exchange.seq, kind: 'http request', expected: nameOf(likely.exchange.request), actual: nameOf(meant[index] ?? request), firstDifference: differenceOf(likely.meaning, meaning) };
      }
    }
    return nothingLike(nameOf(request));
  }
}

function nothingLike(actual: string): Problem {
  return { code: 'REPLAY_EXHAUSTED', step: 0, kind: 'http request', expected: 'no further call like it', actual, firstDifference: { field: 'call', expected: '(none)', actual } };
}

function ambiguous(request: HttpRequest, candidates: readonly Candidate[]): Problem {
  const [first, second] = candidates.map(({ exchange }) => exchange) as [RecordedExchange, RecordedExchange];
  return {
    code: 'REPLAY_MISMATCH', step: first.seq, kind: 'http request', actual: nameOf(request),
    expected: `either of two calls that are alike and were answered differently: ${nameOf(first.request)} (step ${first.seq}) and ${nameOf(second.request)} (step ${second.seq})`,
    firstDifference: { field: 'ambiguous', expected: `one of the steps ${first.seq} and ${second.seq}`, actual: 'a request that means the same as both' },
  };
}

function answerOf({ lane, candidate: { exchange } }: Found): Answer | Problem {
  if (exchange.tunnel) {
    return { code: 'REPLAY_MISMATCH', step: exchange.seq, kind: 'http request', expected: `${nameOf(exchange.request)}, which became ${exchange.tunnel.protocol}: what is said there is not served`, actual: nameOf(exchange.request), firstDifference: { field: 'protocol', expected: 'HTTP/1', actual: exchange.tunnel.protocol } };
  }
  return { step: exchange.seq, pieces: lane.pieces.get(exchange) ?? [], isWhole: exchange.end === 'complete' };
}

function piecesOf({ turns }: Recording): Map<RecordedExchange, AnswerPiece[]> {
  const pieces = new Map<RecordedExchange, AnswerPiece[]>();
  for (const { exchange, status, bytes } of turns.flatMap((turn) => turn.pieces ?? [])) {
    const own = pieces.get(exchange);
    if (own) own.push({ status, bytes });
    else pieces.set(exchange, [{ status, bytes }]);
  }
  return pieces;
}

function bytesOf({ candidate }: Found): Buffer {
  return bufferConcat(candidate.exchange.answer);
}

function nameOf({ method, url }: HttpRequest): string {
  return `${method} ${url}`;
}
