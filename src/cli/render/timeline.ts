/** The order of a trajectory: what stands on its own, what is folded, and where an answer comes in. */
import { asNumber, asObject } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';
import { isNoise, waitOf } from './noise.ts';
import { answerText } from './repeats.ts';
import { isExchange, textOf } from './step-lines.ts';

export type Item =
  | { readonly sort: 'printed'; readonly pieces: Piece[] }
  /** `question` and `answer` of an exchange where something came in between, else `whole`. */
  | { readonly sort: 'step' | 'question' | 'answer' | 'whole'; readonly step: Step };

/** What a step printed, or a part of it. */
export interface Piece {
  readonly step: Step;
  readonly text: string;
}

/** Timers that are set to come back at once are how libraries yield. */
const SHORTEST_WAIT_MS = 2;

export class Timeline {
  readonly items: readonly Item[];
  /** Steps that are not shown. */
  readonly folded: readonly Step[];
  readonly #steps: ReadonlyMap<number, Step>;
  readonly #shown = new Set<Step>();
  readonly #followers = new Map<number, Step[]>();

  constructor(steps: readonly Step[], { verbose }: { readonly verbose: boolean }) {
    this.#steps = new Map(steps.map((step) => [step.step, step]));
    for (const step of steps) if (verbose || !isNoise(step)) this.#shown.add(step);
    for (const step of [...this.#shown]) this.#showWaitBefore(step);
    for (const step of steps) {
      const before = this.#shown.has(step) ? this.after(step) : undefined;
      if (before) this.#followers.set(before.step, [...(this.#followers.get(before.step) ?? []), step]);
    }
    this.items = this.#arrange(steps.filter((step) => this.#shown.has(step)), verbose);
    this.folded = steps.filter((step) => !this.#shown.has(step));
  }

  /** @returns the nearest step that is shown and led to this one. */
  after(step: Step): Step | undefined {
    for (let at = this.#parent(step); at; at = this.#parent(at)) if (this.#shown.has(at)) return at;
    return undefined;
  }

  /** What a step led to, of what is shown. */
  followers({ step }: Step): readonly Step[] {
    return this.#followers.get(step) ?? [];
  }

  /** A short wait that something came of, such as a message on its way, is no noise. */
  #showWaitBefore(step: Step): void {
    if (step.kind === 'time') return;
    for (let at = this.#parent(step); at && !this.#shown.has(at); at = this.#parent(at)) {
      if ((waitOf(at) ?? 0) >= SHORTEST_WAIT_MS) this.#shown.add(at);
    }
  }

  #parent({ after }: Step): Step | undefined {
    return after === null ? undefined : this.#steps.get(after);
  }

  #arrange(steps: readonly Step[], verbose: boolean): Item[] {
    const places = steps.flatMap((step): { readonly at: number; readonly step: Step; readonly answer: boolean }[] => {
      const closes = isExchange(step) && step.ended !== null;
      return [{ at: step.step, step, answer: false }, ...(closes ? [{ at: step.ended as number, step, answer: true }] : [])];
    });
    // An answer comes before what was opened in its turn.
    places.sort((a, b) => a.at - b.at || Number(b.answer) - Number(a.answer));
    const items: Item[] = [];
    for (const { step, answer } of places) {
      const printed = !verbose && (step.boundary === 'stdout' || step.boundary === 'stderr');
      if (answer) addAnswer(items, step);
      else if (printed) addPrinted(items, step);
      else items.push({ sort: !isExchange(step) ? 'step' : step.ended === null ? 'whole' : 'question', step });
    }
    return items;
  }
}

/** Right below its question, unless something else was shown in between. */
function addAnswer(items: Item[], step: Step): void {
  const question = items.at(-1);
  if (question?.sort === 'question' && question.step === step) items[items.length - 1] = { sort: 'whole', step };
  else items.push({ sort: 'answer', step });
}

/** What is printed piece by piece is one text. */
function addPrinted(items: Item[], step: Step): void {
  const text = textOf(step);
  const before = items.at(-1);
  if (before && goesOn(before, step)) {
    before.pieces.push({ step, text });
    return;
  }
  const rest = finishAnswer(items, { step, text });
  if (rest !== '') items.push({ sort: 'printed', pieces: [{ step, text: rest }] });
}

/** The end of a model's answer often is printed after it has arrived. @returns what is printed besides */
function finishAnswer(items: readonly Item[], { step, text }: Piece): string {
  const [before, answer] = items.slice(-2);
  if (!before || answer?.sort !== 'answer' || !goesOn(before, step)) return text;
  const said = answerText(answer.step);
  const printed = before.pieces.map((piece) => piece.text).join('');
  const at = said === '' ? -1 : (printed + text).indexOf(said);
  if (at < 0 || at + said.length <= printed.length) return text;
  const lineEnd = (printed + text).indexOf('\n', at + said.length);
  const taken = (lineEnd < 0 ? printed.length + text.length : lineEnd + 1) - printed.length;
  before.pieces.push({ step, text: text.slice(0, taken) });
  return text.slice(taken);
}

function goesOn(before: Item, step: Step): before is Item & { readonly sort: 'printed' } {
  return before.sort === 'printed' && before.pieces[0]?.step.boundary === step.boundary && !before.pieces.at(-1)?.text.endsWith('\n') && isText(step);
}

function isText(step: Step): boolean {
  return asNumber(asObject(step.output)['bytes']) === null;
}
