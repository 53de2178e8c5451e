/** Which I/O did the work of which tool call. Recordings do not say it; what led to what, and the arguments, nearly do. */
import { asObject, isObject, preview } from './json.ts';
import type { Draft } from './lane/draft.ts';
import type { Message, ToolCall } from './providers/provider.ts';
import type { Boundary, ModelToolCall, ServedByBasis } from './step.ts';

/** What a program does without a tool asking for it. */
const PLUMBING: ReadonlySet<Boundary> = new Set(['dns', 'crypto', 'timer', 'clock', 'random', 'env']);
/** Of a request, what is searched for arguments. */
const SEARCHED_CHARACTERS = 20_000;

export interface OpenCall {
  readonly asked: ToolCall;
  readonly askedAt: number;
  /** Last event of the answer that asked. */
  readonly from: number;
  readonly answer: Message | null;
  /** Where the result was told, or the call given up. */
  readonly until: number;
}

type Served = Pick<ModelToolCall, 'servedBy' | 'servedByBasis'>;

const STRENGTH: readonly ServedByBasis[] = ['time', 'arguments', 'cause'];

/** @param parents the step that led to a step, by number */
export function servedBy<C extends OpenCall>(calls: readonly C[], drafts: readonly Draft[], parents: ReadonlyMap<number, Draft | undefined>): Map<C, Served> {
  const served = new Map<C, Served>();
  const askers = new Askers(parents);
  for (const draft of drafts) {
    if (!serves(draft)) continue;
    const open = calls.filter(({ from, until }) => from < draft.seq && draft.seq < until);
    const found = callServed(draft, open, askers);
    if (!found?.call.answer) continue;
    const before = served.get(found.call);
    const weaker = STRENGTH.find((basis) => basis === found.basis || basis === before?.servedByBasis) ?? found.basis;
    served.set(found.call, { servedBy: [...(before?.servedBy ?? []), draft.seq], servedByBasis: weaker });
  }
  return served;
}

/** Embeddings serve tools; a conversation may be anybody's. */
function serves({ kind, boundary, conversation }: Draft): boolean {
  return kind === 'tool' ? !PLUMBING.has(boundary) : kind === 'llm' && !conversation;
}

function callServed<C extends OpenCall>(draft: Draft, open: readonly C[], askers: Askers): { call: C; basis: ServedByBasis } | undefined {
  if (open.length === 0) return undefined;
  const led = ledBy(draft, open, askers);
  // A request that waited for a free connection was led to by what freed it: arguments that are another call's say more.
  const named = open.length > 1 ? namedIn(draft, open) : undefined;
  if (named && !(led.length === 1 && led[0] === named)) return { call: named, basis: 'arguments' };
  if (led.length === 1) return { call: led[0] as C, basis: 'cause' };
  if (led.length > 1 || open.length > 1 || askers.before(draft)) return undefined;
  return { call: open[0] as C, basis: 'time' };
}

/** The open calls of the nearest conversation that led to a step and has any. */
function ledBy<C extends OpenCall>(draft: Draft, open: readonly C[], askers: Askers): C[] {
  const oldest = Math.min(...open.map(({ askedAt }) => askedAt));
  for (let at = askers.before(draft); at && at.seq >= oldest; at = askers.before(at)) {
    const { seq } = at;
    const calls = open.filter(({ askedAt }) => askedAt === seq);
    if (calls.length > 0) return calls;
  }
  return [];
}

/** The nearest conversation that led to each step. */
class Askers {
  readonly #parents: ReadonlyMap<number, Draft | undefined>;
  readonly #known = new Map<number, Draft | undefined>();

  constructor(parents: ReadonlyMap<number, Draft | undefined>) {
    this.#parents = parents;
  }

  before(draft: Draft): Draft | undefined {
    const passed: Draft[] = [];
    let found: Draft | undefined;
    for (let at: Draft | undefined = draft; at; at = this.#parents.get(at.seq)) {
      if (at !== draft && at.conversation) found = at;
      else if (this.#known.has(at.seq)) found = this.#known.get(at.seq);
      else {
        passed.push(at);
        continue;
      }
      break;
    }
    for (const { seq } of passed) this.#known.set(seq, found);
    return found;
  }
}

/** The one call of which more arguments are in what was asked than of any other. */
function namedIn<C extends OpenCall>(draft: Draft, calls: readonly C[]): C | undefined {
  // Headers are the client's, and say something of everything.
  const { headers: _headers, ...asked } = asObject(draft.input);
  const sent = preview(asked, SEARCHED_CHARACTERS);
  const text = `${sent}\n${decoded(sent)}`;
  const ranked = calls.map((call) => ({ call, named: scalarsOf(call.asked.args).filter((value) => holds(text, value)).length })).sort((a, b) => b.named - a.named);
  const [best, second] = ranked;
  return best && best.named > 0 && best.named > (second?.named ?? 0) ? best.call : undefined;
}

/** Whether a text has the value, and not as a part of a longer word. */
function holds(text: string, value: string): boolean {
  const inWord = (at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) if (!inWord(at - 1) && !inWord(at + value.length)) return true;
  return false;
}

/** Values that are long enough to be found by no accident. */
function scalarsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 3 ? [value] : [];
  if (typeof value === 'number') return String(value).length >= 3 ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => scalarsOf(item));
  return isObject(value) ? Object.values(value).flatMap((member) => scalarsOf(member)) : [];
}

function decoded(text: string): string {
  return text.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
