/** `--swap A,B`: what the recording brings for step B comes before what it brings for step A. */
import type { ForkControl } from '../../../loader/control.ts';
import { ConfigError } from '../../model/error.ts';
import type { Kind, LaneEvent } from '../../model/event.ts';
import { gatherDrafts } from '../../steps/lane/gather.ts';
import type { Step } from '../../steps/step.ts';

type Swap = NonNullable<ForkControl['swap']>;
type Delivery = Extract<LaneEvent, { type: 'delivery' }>;

/** What says that a request is on its way, or a connection over: no part of an answer. */
const OF_THE_ASKING: ReadonlySet<Kind> = new Set(['written', 'connected', 'handshake', 'closed']);

const CAN_WAIT: ReadonlySet<Kind> = new Set(['timer', 'tcp', 'tls', 'pipe', 'fs', 'dns', 'port']);

interface Brought {
  readonly step: Step;
  readonly operation: number;
  /** Of its answer, in recorded order. */
  readonly deliveries: readonly Delivery[];
}

/**
 * @param swap as it was typed
 * @param steps all of the run
 * @returns what is held back, until what has come; the program is on its own from `held[0]` on
 * @throws ConfigError where nothing can be swapped
 */
export function parseSwap(swap: string, steps: readonly Step[], events: readonly LaneEvent[]): Swap {
  const typed = /^(\d+),(\d+)$/.exec(swap.replaceAll(' ', ''));
  if (!typed) throw new ConfigError(`--swap takes two numbers of steps, as replay-harness show lists them: --swap A,B brings B before A. It is not "${swap}".`);
  const [a, b] = typed.slice(1).map((number) => stepOf(Number(number), steps));
  if (!a || !b || a === b) throw new ConfigError(`--swap ${swap}: a step cannot come before itself.`);
  const drafts = gatherDrafts(events, {});
  const [first, second] = [a, b].map((step) => {
    const brought = broughtFor(step, steps, drafts);
    if (brought) return brought;
    throw new ConfigError(`--swap ${swap}: step ${step.step} (${step.kind} ${step.name}) brings the program nothing that could come sooner or later, and comes of nothing that does.`);
  }) as [Brought, Brought];
  const at = firstOf(first);
  // An answer in pieces has come when its last one has.
  if (lastOf(second) < lastOf(first)) throw new ConfigError(`--swap ${swap}: ${b.step} came before ${a.step} already. The other way round: --swap ${b.step},${a.step}`);
  if (isCausedBy(second.step, first.step, steps)) throw new ConfigError(`--swap ${swap}: step ${b.step} (${b.kind} ${b.name}) comes of step ${first.step.step}, so it cannot come before it.`);
  for (const { step, operation } of [first, second]) {
    const kind = events.find((event): event is Extract<LaneEvent, { type: 'start' }> => event.type === 'start' && event.operation === operation)?.kind;
    if (kind === undefined || !CAN_WAIT.has(kind)) throw new ConfigError(`--swap ${swap}: what step ${step.step} (${step.kind} ${step.name}) brings cannot be held back; answers, files, timers and messages of ports can.`);
  }
  const held = first.deliveries.map(({ seq }) => seq);
  const begun = events.find((event): event is Extract<LaneEvent, { type: 'start' }> => event.type === 'start' && event.operation === second.operation);
  if (!begun || Math.max(begun.seq, second.step.step) < at) return { at, first: first.operation, held, second: { operation: second.operation, last: lastOf(second) } };
  if (begun.kind !== 'timer' || begun.seq < at) throw new ConfigError(`--swap ${swap}: step ${b.step} (${b.kind} ${b.name}) was begun when step ${first.step.step} was over, so what it brings cannot come before. Swap what led to the two, further up their branches (AFTER in replay-harness show).`);
  // A timer that is set later, by another branch: it is known by its place among those.
  const like = events.filter((event): event is Extract<LaneEvent, { type: 'start' }> => event.type === 'start' && event.seq > at && event.seq <= begun.seq && event.kind === 'timer' && event.key === begun.key);
  const others = like.filter(({ seq }) => !isCausedBy(steps.find(({ step }) => step === seq), first.step, steps));
  return { at, first: first.operation, held, second: { key: begun.key, place: others.length, last: lastOf(second) } };
}

function stepOf(number: number, steps: readonly Step[]): Step {
  const found = steps.find(({ step }) => step === number);
  if (!found) throw new ConfigError(`--swap: the run has no step ${number}; replay-harness show lists them.`);
  return found;
}

/** Of a step that brings nothing, such as a line that the program prints: what it comes of. */
function broughtFor(step: Step, steps: readonly Step[], drafts: readonly { readonly seq: number; readonly events: readonly LaneEvent[] }[]): Brought | undefined {
  const deliveries = (drafts.find(({ seq }) => seq === step.step)?.events ?? []).filter((event): event is Delivery => event.type === 'delivery' && !OF_THE_ASKING.has(event.kind));
  const [first] = deliveries;
  if (first) return { step, operation: first.operation, deliveries: deliveries.filter(({ operation }) => operation === first.operation) };
  const cause = steps.find(({ step: number }) => number === step.after);
  return cause && broughtFor(cause, steps, drafts);
}

const firstOf = ({ deliveries }: Brought): number => (deliveries[0] as Delivery).seq;
const lastOf = ({ deliveries }: Brought): number => (deliveries.at(-1) as Delivery).seq;

/** Whether one step lies behind another on its own branch. */
function isCausedBy(step: Step | undefined, cause: Step, steps: readonly Step[]): boolean {
  for (let at = step; at && at.step >= cause.step; at = steps.find((candidate) => candidate.step === at?.after)) if (at.step === cause.step) return true;
  return false;
}
