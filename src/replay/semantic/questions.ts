/**
 * What the program asks and no recording answers, where it can go on without: a name lookup, which then stays unanswered,
 * and a draw of randomness, which is made. Told when it is known what is left that it may stand for.
 */
import type { Drift } from '../../model/divergence.ts';
import type { Kind, StartEvent, ValueEvent } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { jsonParse, jsonStringify } from '../../runtime/natives.ts';
import { describeEvent, describeStart, keyDifference } from '../describe.ts';
import type { Difference } from './ledger.ts';
import type { RecordedStart, Recording } from './recording.ts';

interface Question {
  readonly kind: Kind;
  readonly key: string;
  readonly stack: Drift['stack'];
}

type Asked = StartEvent | ValueEvent;

export class Questions {
  readonly #recording: Recording;
  readonly #replaced: Set<Asked> = new Set();
  /** Lookups whose answer is nobody, by name. */
  readonly #nobody: Map<string, Question> = new Map();
  #asked: Question[] = [];
  #hosts: ReadonlySet<string> | undefined;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** @param key as recorded: a call and its arguments */
  ask(kind: Kind, key: string, stack: readonly string[]): void {
    this.#asked.push({ kind, key, stack });
  }

  /** A connection is to be made to a name that was never looked up. */
  leadsToNobody(key: string, stack: readonly string[]): void {
    const host = hostOf(key);
    const isKnown = this.#recording.events.some((event) => event.type === 'start' && event.kind === 'dns' && hostOf(event.key) === host);
    if (host !== undefined && !isKnown) this.#nobody.set(host, { kind: 'dns', key, stack });
  }

  /** The program has ended. @param hasAsked whether a request told where it went */
  unasked(hasAsked: (host: string) => boolean): Difference[] {
    return [...this.#nobody].filter(([host]) => !hasAsked(host)).map(([, question]) => this.#difference(question));
  }

  /** @returns what has been asked since, each told once */
  tell(): Difference[] {
    const asked = this.#asked;
    this.#asked = [];
    return asked.map((question) => this.#difference(question));
  }

  /** Lookups of the program's own that it does not make any more. How often it makes the same one does not count. */
  missing(): Difference[] {
    return this.#ownLookups().filter((event) => !this.#recording.starts.last('dns', event.key)).map((event) => ({
      change: 'missing', code: 'REPLAY_LEFTOVER', kind: 'dns', step: event.seq, recorded: describe(event), now: null, firstDifference: null, stack: [],
    }));
  }

  #difference({ kind, key, stack }: Question): Difference {
    const now = describeStart(kind, key);
    const name = callOf(key);
    const left = kind === 'dns' ? this.#ownLookups() : this.#recording.values.allLeft().filter((event) => event.kind === kind && !this.#replaced.has(event));
    const before = left.find((event) => callOf(event.key) === name);
    if (before) {
      this.#replaced.add(before);
      return { change: 'changed', code: 'REPLAY_MISMATCH', kind, step: before.seq, recorded: describe(before), now, firstDifference: keyDifference(kind, before.key, key), stack };
    }
    const filled = this.#filled(kind, name);
    if (filled) {
      const [, asked] = jsonParse(key) as unknown[];
      const { event, size } = filled;
      return { change: 'changed', code: 'REPLAY_MISMATCH', kind, step: event.seq, recorded: `${describeStart(kind, event.key)} ${size}`, now, firstDifference: { field: 'args[0]', expected: String(size), actual: String(asked) }, stack };
    }
    return { change: 'added', code: 'REPLAY_EXHAUSTED', kind, step: null, recorded: null, now, firstDifference: { field: 'call', expected: '(none)', actual: now }, stack };
  }

  /** A buffer that was filled instead: recordings have its size only in what it was filled with. */
  #filled(kind: Kind, name: string): { readonly event: Asked; readonly size: number } | undefined {
    const { values, starts } = this.#recording;
    const key = jsonStringify([name]);
    const value = values.last(kind, key);
    const start = starts.last('crypto', key);
    const outcome = value ? decodeOutcome(value.data) : start?.turns[0] && decodeOutcome(start.turns[0].event.data);
    const event = value ?? start?.event;
    return event && outcome && 'bytes' in outcome && outcome.bytes ? { event, size: outcome.bytes.length } : undefined;
  }

  /** Of those that nobody has made: not the ones by which a connection was found. */
  #ownLookups(): StartEvent[] {
    const left = this.#recording.starts.allLeft().filter(({ event }) => event.kind === 'dns' && !this.#replaced.has(event));
    return left.filter((start) => !this.#isOfRequest(start) && !this.#isToConnect(start)).map(({ event }) => event);
  }

  #isOfRequest({ event }: RecordedStart): boolean {
    this.#hosts ??= hostsOf(this.#recording);
    const host = hostOf(event.key);
    return host !== undefined && this.#hosts.has(host);
  }

  /** Whether a connection to what was found began in the very turn in which it was. */
  #isToConnect({ turns: [turn] }: RecordedStart): boolean {
    if (!turn) return false;
    const { events } = this.#recording;
    const [, found] = (decodeOutcome(turn.event.data) as { result?: unknown[] }).result ?? [];
    if (!Array.isArray(found)) return false;
    for (let index = events.indexOf(turn.event) + 1; index < events.length; index++) {
      const event = events[index];
      if (event?.type === 'delivery') return false;
      if (event?.type === 'start' && event.kind === 'tcp' && found.includes((jsonParse(event.key) as unknown[])[0])) return true;
    }
    return false;
  }
}

function hostsOf({ exchanges, connections }: Recording): Set<string> {
  const named = exchanges.flatMap(({ request: { url } }) => (URL.canParse(url) ? [new URL(url).hostname] : []));
  return new Set([...named, ...[...connections.values()].map(({ facts }) => facts.host)]);
}

function describe(event: Asked): string {
  return describeEvent(event, () => undefined);
}

function callOf(key: string): string {
  return String((jsonParse(key) as unknown[])[0]);
}

function hostOf(key: string): string | undefined {
  const [, host] = jsonParse(key) as unknown[];
  return typeof host === 'string' ? host : undefined;
}
