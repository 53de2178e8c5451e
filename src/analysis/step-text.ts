/** What a step is found by: of its masked reading, the words that somebody who looks for it would use. */
import { answerOf, isConversation, toolName } from '../steps/conversation.ts';
import { contentText, type Message } from '../steps/providers/provider.ts';
import type { Step } from '../steps/step.ts';
import { isObject } from '../steps/json.ts';

/** What search needs of a step, masked. */
export type SearchedStep = Pick<Step, 'step' | 'kind' | 'boundary' | 'name' | 'summary' | 'input' | 'output' | 'error'>;

/** Characters of a step; what comes first counts, as `embed` reads no more. */
const MOST = 32_768;
/** Of one value: a file's or a body's beginning says what it is. */
const MOST_OF_A_VALUE = 8192;
/** Deeper values, and more of them, are data. */
const MOST_DEPTH = 12;
const MOST_VALUES = 2000;
const MOST_NUMBERS = 64;
/** What every exchange has, or what is there a second time in another form. */
const LEFT_OUT: ReadonlySet<string> = new Set(['raw', 'headers', 'env', 'base64']);
/** Base64, hashes and the like. */
const DATA = /^(?:data:|[A-Za-z0-9+/=_-]{120,}$)/;
const INSTRUCTIONS: ReadonlySet<string> = new Set(['system', 'developer']);

/** Clocks and random values are what they are; nobody looks for the numbers. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['time', 'random']);

/** Whether the step gets a vector. */
export function isEmbedded({ kind }: Pick<Step, 'kind'>): boolean {
  return kind === 'llm' || kind === 'tool';
}

/** @param newMessages of a conversation's prompt, those that no earlier call of the lane had: what is repeated is found there */
export function stepText(step: SearchedStep, newMessages: readonly unknown[]): string {
  const text = new Text();
  if (WITHOUT_WORDS.has(step.kind)) return '';
  text.add(step.name);
  if (isConversation(step as Step)) conversation(step, newMessages as readonly Message[], text);
  else {
    text.add(step.summary);
    text.values(step.input);
    text.values(step.output);
  }
  if (step.error) text.add(`${step.error.code} ${step.error.message}`);
  return text.toString();
}

/** The answer, then what the prompt brought that was new; instructions last, since they are long and always the same. */
function conversation(step: SearchedStep, messages: readonly Message[], text: Text): void {
  const answer = answerOf(step as Step);
  if (answer) message(answer, text);
  const all = (step.input as { messages: readonly Message[] }).messages;
  const instructs = ({ role }: Message): boolean => INSTRUCTIONS.has(role);
  for (const told of [...messages.filter((each) => !instructs(each)).reverse(), ...messages.filter(instructs)]) {
    if (told.role === 'tool') text.add(toolName(told, all));
    message(told, text);
  }
  const { model } = step.input as { model?: unknown };
  if (typeof model === 'string') text.add(model);
}

function message({ content, toolCalls = [], reasoning, refusal }: Message, text: Text): void {
  if (content !== null && content !== undefined) text.add(contentText(content));
  for (const call of toolCalls) {
    text.add(call.name);
    text.values(call.args);
  }
  for (const more of [refusal, reasoning]) if (more !== undefined) text.add(more);
}

class Text {
  readonly #parts: string[] = [];
  #length = 0;
  #values = 0;

  add(value: string): void {
    if (this.#length >= MOST || value === '' || DATA.test(value.slice(0, 256))) return;
    const part = value.slice(0, Math.min(MOST_OF_A_VALUE, MOST - this.#length));
    this.#parts.push(part);
    this.#length += part.length + 1;
  }

  /** Names of members and all that is text or number, in their order. */
  values(value: unknown, depth = 0): void {
    if (depth > MOST_DEPTH || this.#values++ > MOST_VALUES || this.#length >= MOST) return;
    if (typeof value === 'string') this.add(value);
    else if (typeof value === 'number' || typeof value === 'bigint') this.add(String(value));
    else if (Array.isArray(value)) this.#list(value, depth);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (LEFT_OUT.has(key) || member === null || typeof member === 'boolean') continue;
        this.add(key);
        this.values(member, depth + 1);
      }
    }
  }

  /** A vector, or a table of figures, is no text. */
  #list(list: readonly unknown[], depth: number): void {
    if (list.length > MOST_NUMBERS && list.every((each) => typeof each === 'number')) return;
    for (const each of list) this.values(each, depth + 1);
  }

  toString(): string {
    return this.#parts.join('\n').replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\0/g, ' ');
  }
}
