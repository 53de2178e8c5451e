/** Turns the events of one lane into steps. Derived, and to be derived again by a better version: only `step` is frozen. */
import type { BeginEvent, Kind, LaneEvent } from '../model/event.ts';
import { bufferConcat, jsonStringify, nativeCrypto, NativeDate } from '../runtime/natives.ts';
import { gatherDrafts, type InterpretOptions } from './lane/gather.ts';
import type { Draft } from './lane/draft.ts';
import type { LaneClock } from './lanes.ts';
import { Lineage } from './lineage.ts';
import type { ModelToolCall, Step } from './step.ts';
import { modelToolCalls } from './tool-calls.ts';

export type { InterpretOptions } from './lane/gather.ts';
export { type Boundary, countCalls, type Envelope, type Step, type StepError, type StepKind, type Usage } from './step.ts';

export function interpret(events: readonly LaneEvent[], options: InterpretOptions = {}): Step[] {
  const begin = events.find((event) => event.type === 'begin');
  const chain = new Chain();
  const drafts = gatherDrafts(events, options);
  const lineage = new Lineage(events, drafts);
  const parents = new Map(drafts.map((draft) => [draft.seq, lineage.parentOf(draft)]));
  const toolCalls = modelToolCalls(drafts, parents);
  return drafts.map((draft) => ({
    ...stepOf(draft, begin, chain.add(draft), { causalParent: lineage.turnOf(draft.seq), after: parents.get(draft.seq)?.seq ?? null, ended: lineage.endOf(draft) }, options.clock),
    ...sentBy(draft, options.clock),
    ...toolCallsOf(toolCalls.get(draft.seq)),
    ...(options.digests && { digests: digestsOf(draft) }),
  }));
}

export interface Coverage {
  readonly events: number;
  /** Events that a step was made of. */
  readonly inSteps: number;
  /** The others by kind: plumbing such as `written`, `stack` or timers that never fired. */
  readonly plumbing: Readonly<Partial<Record<Kind | 'begin' | 'end', number>>>;
}

/** @returns where every event of the lane went. */
export function coverage(events: readonly LaneEvent[]): Coverage {
  const used = new Set(gatherDrafts(events, {}).flatMap((draft) => draft.events.map((event) => event.seq)));
  const plumbing: Partial<Record<Kind | 'begin' | 'end', number>> = {};
  for (const event of events) {
    if (used.has(event.seq) || event.type === 'note') continue;
    const kind = event.type === 'begin' || event.type === 'end' ? event.type : event.kind;
    plumbing[kind] = (plumbing[kind] ?? 0) + 1;
  }
  return { events: events.length, inSteps: used.size, plumbing };
}

/** @returns the exact bytes that a step sent and received; undefined when there is no such step. */
export function rawBytes(events: readonly LaneEvent[], step: number): { input: Buffer; output: Buffer } | undefined {
  const draft = gatherDrafts(events, {}).find((candidate) => candidate.seq === step);
  if (!draft) return undefined;
  const { input, output } = piecesOf(draft);
  return { input: bufferConcat(input), output: bufferConcat(output) };
}

function piecesOf({ events, boundary }: Draft): { input: Buffer[]; output: Buffer[] } {
  const bytesOf = (...types: LaneEvent['type'][]): Buffer[] => events.flatMap((event) => (types.includes(event.type) && 'data' in event ? [event.data] : []));
  const [asked, answered] = [bytesOf('output'), bytesOf('delivery', 'value')];
  // A server's input is what came in.
  return boundary === 'server' ? { input: answered, output: asked } : { input: asked, output: answered };
}

function digestsOf(draft: Draft): NonNullable<Step['digests']> {
  const { input, output } = piecesOf(draft);
  const digest = (pieces: readonly Buffer[]): string => {
    const hash = nativeCrypto.createHash('sha256');
    for (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  };
  return { input: digest(input), output: digest(output) };
}

function stepOf(draft: Draft, begin: BeginEvent | undefined, checksum: string, { causalParent, after, ended }: Pick<Step, 'causalParent' | 'after' | 'ended'>, clock: LaneClock | undefined): Step {
  const { seq, kind, boundary, name, summary, input, output, error, startedAt, endedAt, envelope } = draft;
  return {
    step: seq,
    kind,
    boundary,
    name,
    summary,
    agentId: begin?.facts.agent ?? '',
    lamport: clock?.lamport(seq) ?? seq,
    causalParent,
    after,
    input,
    output,
    error,
    key: nativeCrypto.createHash('sha256').update(draft.asked).digest('hex'),
    checksum,
    startedAt: new NativeDate((begin?.facts.startedAt ?? 0) + startedAt / 1000).toISOString(),
    latencyMs: endedAt === null ? null : (endedAt - startedAt) / 1000,
    ended,
    envelope: envelope ?? null,
  };
}

/** Of a message that came from another lane. */
function sentBy({ seq }: Draft, clock: LaneClock | undefined): Pick<Step, 'sentBy'> {
  const sender = clock?.sender(seq);
  return sender ? { sentBy: { lane: sender.lane, step: sender.seq } } : {};
}

function toolCallsOf(toolCalls: readonly ModelToolCall[] | undefined): Pick<Step, 'toolCalls'> {
  return toolCalls ? { toolCalls } : {};
}

/** Checksums that each cover the one before. */
class Chain {
  #previous = '';

  add(draft: Draft): string {
    const hash = nativeCrypto.createHash('sha256').update(this.#previous);
    for (const event of draft.events) {
      const { data, ...fields } = { data: undefined, ...event };
      hash.update(`\n${jsonStringify(fields)}\n`);
      if (data) hash.update(data);
    }
    this.#previous = hash.digest('hex');
    return this.#previous;
  }
}
