/** Two runs held against each other: what was asked and answered differently, where it began, and what came of it. */
import { nativeCrypto } from '../../runtime/natives.ts';
import { firstJsonDifference, type Difference } from '../json-diff.ts';
import { asNumber, asObject, asText, canonicalJson } from '../json.ts';
import type { Step } from '../step.ts';
import { windowsOf } from '../text-diff.ts';
import { type Alignable, align, withMoved } from './align.ts';
import { answerOf, askedOf, counts, decisionOf } from './comparable.ts';

/** `moved`: asked the very same at another place of the order. */
export type Relation = 'same' | 'changed' | 'moved' | 'removed' | 'added';

/** A step of the one run and its counterpart. */
export interface StepPair {
  readonly a: Step | null;
  readonly b: Step | null;
  readonly relation: Relation;
  /** The first place in what was asked. */
  readonly asked: Difference | null;
  /** The first place in what was answered. */
  readonly answered: Difference | null;
  /** Whether a model decided otherwise. */
  readonly decision: boolean;
}

export interface RunDiff {
  /** In the order of the one run, what only the other has between. */
  readonly pairs: readonly StepPair[];
  /** The first pair that is not the same. */
  readonly first: StepPair | null;
  /** The first where a model decided otherwise, or was asked in one run only. */
  readonly firstDecision: StepPair | null;
  /** The first two whose answers came in the other order. */
  readonly overtaking: readonly [StepPair, StepPair] | null;
  readonly outcome: Outcome;
}

export interface Outcome {
  /** Exit codes; null where the recording has none. */
  readonly exit: readonly [number | null, number | null];
  /** The first line on stdout or stderr that differs, `chance`: in times and ids alone; null: printed the same. */
  readonly printed: (Difference & { readonly stream: 'stdout' | 'stderr'; readonly chance: boolean }) | null;
}

const STREAMS = ['stdout', 'stderr'] as const;

export function diffRuns(one: readonly Step[], other: readonly Step[]): RunDiff {
  const [left, right] = [one.filter(counts), other.filter(counts)];
  const [a, b] = [left.map(alignable), right.map(alignable)];
  const aligned = withMoved(align(a, b), a, b).map(({ one: i, other: j, moved }) => ({ a: i === null ? null : (left[i] as Step), b: j === null ? null : (right[j] as Step), moved }));
  const paired = new Set(aligned.flatMap((pair) => (pair.a && pair.b ? [pair.a, pair.b] : [])));
  const retries = new Map([...retriesIn(left), ...retriesIn(right)]);
  const otherwise = (pair: StepPair): StepPair => ({ ...pair, a: pair.a && lastOf(pair.a, retries), b: pair.b && lastOf(pair.b, retries) });
  const pairs = aligned.map((pair) => pairOf(pair.a, pair.b, { moved: pair.moved, decision: decidedOtherwise(pair, retries, paired) }));
  return {
    pairs,
    first: pairs.find(({ relation }) => relation !== 'same') ?? null,
    firstDecision: pairs.filter(({ decision }) => decision).map(otherwise)[0] ?? null,
    overtaking: overtakingIn(pairs),
    outcome: { exit: [exitOf(one), exitOf(other)], printed: printedDifference(one, other) },
  };
}

/** Whether nothing but order, times and ids tells the two runs apart. */
export function isSameRun({ first, outcome }: RunDiff): boolean {
  return first === null && (outcome.printed === null || outcome.printed.chance) && outcome.exit[0] === outcome.exit[1];
}

/** Calls to a model that failed, and the same one made again. */
function retriesIn(steps: readonly Step[]): [Step, Step][] {
  const calls = steps.filter(({ kind }) => kind === 'llm').map((step) => ({ step, asked: canonicalJson(askedOf(step)) }));
  return calls.flatMap(({ step, asked }, at): [Step, Step][] => {
    const again = step.error === null ? undefined : calls.slice(at + 1).find((other) => other.asked === asked);
    return again ? [[step, again.step]] : [];
  });
}

/** What a call comes to counts once, whether or not it was made again. */
function decidedOtherwise({ a, b }: { readonly a: Step | null; readonly b: Step | null }, retries: ReadonlyMap<Step, Step>, paired: ReadonlySet<Step>): boolean {
  if (a && b) return canonicalJson(decisionOf(lastOf(a, retries))) !== canonicalJson(decisionOf(lastOf(b, retries)));
  const only = (a ?? b) as Step;
  if ([...retries.values()].includes(only)) return false;
  const last = lastOf(only, retries);
  return decisionOf(last) !== null && (last === only || !paired.has(last));
}

/** The call that decided. */
function lastOf(step: Step, retries: ReadonlyMap<Step, Step>): Step {
  const again = retries.get(step);
  return again ? lastOf(again, retries) : step;
}

function pairOf(a: Step | null, b: Step | null, { moved, decision }: { readonly moved: boolean; readonly decision: boolean }): StepPair {
  if (!a || !b) return { a, b, relation: a ? 'removed' : 'added', asked: null, answered: null, decision };
  const asked = firstJsonDifference('', askedOf(a), askedOf(b)) ?? null;
  const answered = firstJsonDifference('', answerOf(a), answerOf(b)) ?? null;
  return { a, b, relation: moved ? 'moved' : asked || answered ? 'changed' : 'same', asked, answered, decision };
}

function alignable(step: Step): Alignable {
  const { kind, boundary, name } = step;
  // Prompts of a long conversation hold each other: their hashes are enough.
  const asked = nativeCrypto.createHash('sha256').update(canonicalJson(askedOf(step))).digest('hex');
  return { asked: `${kind} ${boundary} ${asked}`, sort: sortOf(step), family: kind === 'llm' ? kind : `${kind} ${boundary} ${name.split(' ', 1)[0] ?? ''}` };
}

/** Calls of one conversation begin alike; of requests and files the path says what they are. */
function sortOf({ kind, name, input }: Step): string {
  const { messages } = asObject(input);
  return kind === 'llm' && Array.isArray(messages) ? `${name} ${canonicalJson(messages[0] ?? null)} ${messages.length}` : name.replace(/\?.*$/, '');
}

function exitOf(steps: readonly Step[]): number | null {
  const exit = steps.findLast(({ boundary }) => boundary === 'exit');
  return exit ? asNumber(asObject(exit.output)['code']) : null;
}

function overtakingIn(pairs: readonly StepPair[]): RunDiff['overtaking'] {
  const answered = pairs.filter(({ a, b }) => typeof a?.ended === 'number' && typeof b?.ended === 'number').sort((one, other) => (one.a?.ended as number) - (other.a?.ended as number));
  const at = answered.findIndex(({ b }, index) => index > 0 && (b?.ended as number) < (answered[index - 1]?.b?.ended as number));
  return at < 0 ? null : [answered[at - 1] as StepPair, answered[at] as StepPair];
}

function printedDifference(one: readonly Step[], other: readonly Step[]): Outcome['printed'] {
  const lines = STREAMS.map((stream) => [stream, printedBy(one, stream).split('\n'), printedBy(other, stream).split('\n')] as const);
  for (const chance of [false, true]) {
    for (const [stream, was, is] of lines) {
      const shown = chance ? (text: string | undefined) => text : withoutChance;
      const line = Array.from({ length: Math.max(was.length, is.length) }, (_, at) => at).find((at) => shown(was[at]) !== shown(is[at]));
      if (line !== undefined) return { stream, chance, field: `line ${line + 1}`, ...windowsOf(was[line] ?? '', is[line] ?? '') };
    }
  }
  return null;
}

/** Moments, ids and hashes: no two runs have the same. */
const CHANCE = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi;

function withoutChance(line: string | undefined): string | undefined {
  return line?.replace(CHANCE, '*');
}

function printedBy(steps: readonly Step[], stream: string): string {
  return steps.filter(({ boundary }) => boundary === stream).map(({ output }) => asText(asObject(output)['text']) ?? `(${String(asObject(output)['bytes'])} bytes)\n`).join('');
}
