/** The servers of the recorded run, as far as they spoke HTTP/1: every request of the program comes here, and none gets further. */
import type { Deliver } from '../../capture/session.ts';
import type { FirstDifference } from '../../model/divergence.ts';
import type { Kind } from '../../model/event.ts';
import { bufferAlloc, bufferFrom, jsonParse } from '../../runtime/natives.ts';
import { ownImmediate } from '../../runtime/own.ts';
import { describeStart } from '../describe.ts';
import { type Asked, kept, type Listener, VirtualConnection } from './connection.ts';
import { factsOf, type Piece, type RecordedExchange } from './exchanges.ts';
import type { Difference } from './ledger.ts';
import { type Candidate, Matcher } from './matcher.ts';
import { differenceOf, type Meaning, meaningOf, type Rules } from './meaning.ts';
import type { Network } from './network.ts';
import type { Recording } from './recording.ts';

export interface HttpPort {
  /** A request is not what was recorded. */
  differs(difference: Difference): void;
  /** It cannot be said which recorded call a request is, or it is none that can be answered: the replay ends here. */
  refuse(actual: string, expected: string, difference: FirstDifference | undefined): void;
  /** There may be something to deliver. */
  wake(): void;
  frames(): readonly string[];
}

interface Unmatched {
  readonly asked: Asked;
  readonly meaning: Meaning;
  readonly frames: readonly string[];
}

interface Claim {
  readonly candidate: Candidate;
  readonly asked: Asked;
}

const NOTHING = bufferAlloc(0);
const CONTINUE = bufferFrom('HTTP/1.1 100 Continue\r\n\r\n');
const REQUEST = 'http request';

export class HttpSide implements Listener {
  readonly #recording: Recording;
  readonly #rules: Rules;
  readonly #matcher: Matcher;
  readonly #network: Network;
  readonly #port: HttpPort;
  readonly #isLoose: boolean;
  readonly #sameRuntime: boolean;
  readonly #connections: Map<number, VirtualConnection> = new Map();
  readonly #claims: Map<RecordedExchange, Claim> = new Map();
  /** In the order of asking. */
  readonly #asked: RecordedExchange[] = [];
  #unmatched: Unmatched[] = [];
  /** Asked once more than recorded, of what never answered. */
  readonly #unanswered: Unmatched[] = [];
  readonly #closed: Set<number> = new Set();
  /** Lower case. */
  readonly #hosts: Set<string> = new Set();
  /** The connection below one with TLS. */
  readonly #below: Map<number, number> = new Map();
  /** Connections to where none led when it was recorded, until something is asked on them. */
  readonly #strangers: Map<number, { readonly kind: Kind; readonly address: string; readonly frames: readonly string[] }> = new Map();
  #connecting: { readonly turn: number; readonly run: () => void }[] = [];
  /** Requests on their way through msw. */
  #underWay = 0;

  constructor({ recording, rules, network, port, isLoose, sameRuntime }: { recording: Recording; rules: Rules; network: Network; port: HttpPort; isLoose: boolean; sameRuntime: boolean }) {
    this.#recording = recording;
    this.#rules = rules;
    this.#matcher = new Matcher(recording.exchanges, rules, sameRuntime);
    this.#network = network;
    this.#port = port;
    this.#isLoose = isLoose;
    this.#sameRuntime = sameRuntime;
  }

  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** Whether any request was for this host. */
  hasAsked(host: string): boolean {
    return this.#hosts.has(host.toLowerCase());
  }

  asksLeave(connection: VirtualConnection): void {
    later(() => connection.bring(CONTINUE.length, CONTINUE));
  }

  find(operation: number): VirtualConnection | undefined {
    return this.#connections.get(operation);
  }

  /** The program connects to where `address` leads. */
  connect({ operation, kind, address, deliver, turn, isKnown }: { operation: number; kind: Kind; address: string; deliver: Deliver; /** behind which it was connected */ turn: number; /** One led there when it was recorded. */ isKnown: boolean }): void {
    if (!isKnown) this.#strangers.set(operation, { kind, address, frames: this.#port.frames() });
    this.#connections.set(operation, new VirtualConnection(operation, address, factsOf(kind, address), deliver, this));
    this.#connecting.push({ turn, run: () => deliver('connected', 0, NOTHING) });
  }

  closed(operation: number): void {
    this.#closed.add(operation);
  }

  /** The replay is in this turn: connections that were made in it, or behind it, are made. @returns whether there were any */
  reached(turn: number): boolean {
    const made = this.#connecting.filter((one) => one.turn <= turn);
    this.#connecting = this.#connecting.filter((one) => one.turn > turn);
    for (const { run } of made) later(run);
    return made.length > 0;
  }

  /** TLS on top of such a connection. @returns whether it is one */
  secure(operation: number, key: string, deliver: Deliver): boolean {
    const { tcp, servername } = jsonParse(key) as { tcp: number; servername?: string };
    const below = this.#connections.get(tcp);
    if (!below) return false;
    const facts = factsOf('tcp', below.address, key);
    this.#below.set(operation, tcp);
    this.#connections.set(operation, new VirtualConnection(operation, below.address, facts, deliver, this));
    const like = this.#recording.to(below.address).filter((connection) => connection.facts.scheme === 'https');
    const template = like.find((connection) => connection.facts.host === (servername || connection.facts.host)) ?? like[0];
    const told = template ? (this.#recording.handshakes.get(template.operation) ?? []) : [];
    // Sessions that a server hands out later are of no use to anybody here.
    const done = told.findIndex(({ status }) => status === 0);
    const steps = told.slice(0, done + 1);
    const next = (): void => {
      const step = steps.shift();
      if (!step) return;
      if (steps.length > 0) later(next);
      deliver('handshake', step.status, step.data);
    };
    later(next);
    return true;
  }

  write(connection: VirtualConnection, bytes: Uint8Array): void {
    connection.write(kept(bytes));
  }

  asked(asked: Asked): void {
    const { request } = asked;
    this.#strangers.delete(this.#socketOf(asked));
    const meaning = meaningOf(request, this.#rules);
    const frames = this.#port.frames();
    if (URL.canParse(request.url)) this.#hosts.add(new URL(request.url).hostname);
    let found: Candidate | undefined;
    let isAmbiguous = false;
    this.#underWay++;
    const done = (): void => {
      this.#underWay--;
      this.#port.wake();
    };
    this.#network.ask({
      method: request.method, url: request.url, headers: request.headers, body: request.body,
      match: () => {
        const match = this.#matcher.find(meaning);
        if (match && 'ambiguous' in match) {
          isAmbiguous = true;
          this.#refuseAmbiguous(asked, match.ambiguous);
        } else found = match?.found;
        // At once: the next request may be on its way through msw before this one is answered.
        if (found) found.isTaken = true;
        return found !== undefined;
      },
      answered: () => {
        this.#claim(found as Candidate, asked);
        done();
      },
      refused: () => {
        if (found) found.isTaken = false;
        if (!isAmbiguous) this.#unknown({ asked, meaning, frames });
        done();
      },
    });
  }

  spoke(connection: VirtualConnection, protocol: string): void {
    this.#port.refuse(`${protocol} on a connection to ${placeOf(connection)}`, 'HTTP/1, which alone is answered by meaning', { field: 'protocol', expected: 'HTTP/1', actual: protocol });
  }

  isReady({ exchange, status }: Piece): boolean {
    const claim = this.#claims.get(exchange);
    if (!claim) return false;
    return claim.asked.connection.isNext(claim.asked) || (status < 0 && exchange.left === 1);
  }

  bring({ exchange, status, bytes }: Piece): void {
    const { asked } = this.#claims.get(exchange) as Claim;
    exchange.left--;
    if (isWhole(exchange)) asked.connection.answered(asked);
    asked.connection.bring(status, bytes);
  }

  /** The recording goes on with an answer that nobody has asked for. Loose: what was asked in its place gets it, and that is told. @returns whether something was */
  pair(exchange: RecordedExchange): boolean {
    if (this.#claims.has(exchange) || this.#unmatched.length === 0) return false;
    if (!this.#isLoose) return this.#report();
    const group = this.#matcher.left.filter((candidate) => candidate.exchange === exchange || (candidate.exchange.seq > exchange.seq && candidate.exchange.seq <= exchange.lastSeq));
    let paired = false;
    for (const unmatched of [...this.#unmatched]) {
      const rivals = this.#unmatched.filter((other) => other !== unmatched).map(({ meaning }) => meaning);
      const match = this.#matcher.counterpart(unmatched.meaning, group.filter(({ isTaken }) => !isTaken), rivals);
      if (match && 'ambiguous' in match) {
        this.#refuseAmbiguous(unmatched.asked, match.ambiguous);
        return true;
      }
      if (!match) continue;
      paired = true;
      this.#unmatched = this.#unmatched.filter((other) => other !== unmatched);
      this.#claim(match.found, unmatched.asked);
      this.#port.differs(changed(match.found, unmatched));
    }
    return paired;
  }

  /** Nothing more can be delivered. @returns whether something was paired */
  pairRest(): boolean {
    return this.#isLoose ? this.#matcher.left.some(({ exchange }) => this.pair(exchange)) : this.#report();
  }

  /** The program has ended. @returns what it did not do, did besides, or did in another order */
  differences(): Difference[] {
    // Whether a request that was given up before its answer had left by then, is a matter of versions.
    const missing = this.#matcher.left.filter(({ exchange }) => this.#sameRuntime || exchange.response !== null || exchange.end !== 'aborted').map(({ exchange }): Difference => ({
      change: 'missing', code: 'REPLAY_LEFTOVER', kind: REQUEST, step: exchange.seq, recorded: nameOf(exchange), now: null, firstDifference: null, stack: [],
    }));
    const cut = [...this.#claims].filter(([exchange]) => exchange.left > 0 && !isWhole(exchange)).map(([exchange]): Difference => ({
      change: 'missing', code: 'REPLAY_LEFTOVER', kind: 'http answer', step: exchange.seq, recorded: `all of the answer to ${nameOf(exchange)}`, now: 'the program ended before it', firstDifference: null, stack: [],
    }));
    const unmatched = this.#isLoose && this.#sameRuntime ? this.#unmatched : this.#unmatched.filter(({ asked }) => this.#isOpen(asked));
    const added = [...unmatched, ...this.#unanswered.filter(({ asked }) => this.#isOpen(asked))].map(({ asked, frames }): Difference => ({
      change: 'added', code: 'REPLAY_MISMATCH', kind: REQUEST, step: null, recorded: null, now: nameOf(asked), firstDifference: null, stack: frames,
    }));
    const connected = [...this.#strangers.values()].map(({ kind, address, frames }): Difference => ({
      change: 'added', code: 'REPLAY_EXHAUSTED', kind, step: null, recorded: null, now: describeStart(kind, address), firstDifference: null, stack: frames,
    }));
    return [...added, ...connected, ...missing, ...cut, ...(this.#isLoose ? this.#reordered() : [])];
  }

  #claim(candidate: Candidate, asked: Asked): void {
    candidate.isTaken = true;
    this.#claims.set(candidate.exchange, { candidate, asked });
    this.#asked.push(candidate.exchange);
  }

  #unknown(unmatched: Unmatched): void {
    if (this.#matcher.isGivenUp(unmatched.meaning)) {
      this.#unanswered.push(unmatched);
      return;
    }
    // Loose: something may be paired with it. Otherwise the program may give it up before it counts, as it may have done before it left.
    this.#unmatched.push(unmatched);
  }

  /** What was asked, is not in the recording, and is still waited for. */
  #report(): boolean {
    const waiting = this.#unmatched.filter(({ asked }) => this.#isOpen(asked));
    this.#unmatched = [];
    for (const unmatched of waiting) this.#reportOne(unmatched);
    return waiting.length > 0;
  }

  #isOpen(asked: Asked): boolean {
    return !this.#closed.has(this.#socketOf(asked));
  }

  #socketOf({ connection: { operation } }: Asked): number {
    return this.#below.get(operation) ?? operation;
  }

  #reportOne(unmatched: Unmatched): void {
    const match = this.#matcher.counterpart(unmatched.meaning, this.#matcher.left, []);
    const likely = match && ('found' in match ? match.found : match.ambiguous[0]);
    if (likely) this.#port.differs(changed(likely, unmatched));
    else {
      this.#port.differs({
        change: 'added', code: 'REPLAY_EXHAUSTED', kind: REQUEST, step: null, recorded: 'no further call like it', now: nameOf(unmatched.asked),
        firstDifference: { field: 'call', expected: '(none)', actual: nameOf(unmatched.asked) }, stack: unmatched.frames,
      });
    }
  }

  #refuseAmbiguous(asked: Asked, [first, second]: readonly Candidate[]): void {
    const [one, other] = [first, second].map((candidate) => (candidate as Candidate).exchange) as [RecordedExchange, RecordedExchange];
    this.#port.refuse(nameOf(asked), `either of two calls that are alike and were answered differently: ${nameOf(one)} (step ${one.seq}) and ${nameOf(other)} (step ${other.seq})`, {
      field: 'ambiguous', expected: `one of the steps ${one.seq} and ${other.seq}`, actual: 'a request that means the same as both',
    });
  }

  #reordered(): Difference[] {
    const found: Difference[] = [];
    let furthest: RecordedExchange | undefined;
    for (const exchange of this.#asked) {
      // Calls that were under way together have no order of their own.
      if (furthest && exchange.lastSeq < furthest.began) {
        found.push({
          change: 'reordered', code: 'REPLAY_MISMATCH', kind: REQUEST, step: exchange.seq, recorded: `${nameOf(exchange)} before ${nameOf(furthest)} (step ${furthest.seq})`, now: 'after it',
          firstDifference: { field: 'order', expected: 'before', actual: 'after' }, stack: [],
        });
      } else if (!furthest || exchange.seq > furthest.seq) furthest = exchange;
    }
    return found;
  }
}

function later(run: () => void): void {
  ownImmediate(run);
}

/** Whether all of its answer is there; that the connection ends behind it, too, may still come. */
function isWhole({ left, end, answer }: RecordedExchange): boolean {
  return left === 0 || (end === 'complete' && left === 1 && answer.at(-1)?.length === 0);
}

function changed({ exchange, meaning }: Candidate, { asked, meaning: now, frames }: Unmatched): Difference {
  return { change: 'changed', code: 'REPLAY_MISMATCH', kind: REQUEST, step: exchange.seq, recorded: nameOf(exchange), now: nameOf(asked), firstDifference: differenceOf(meaning, now), stack: frames };
}

function nameOf({ request: { method, url } }: { readonly request: { readonly method: string; readonly url: string } }): string {
  return `${method} ${url}`;
}

function placeOf({ address }: VirtualConnection): string {
  return (jsonParse(address) as unknown[]).join(':');
}
