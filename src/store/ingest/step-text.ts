/** What of a step is searched in, and what its vector is made from. */
import { asList, asObject, asText, isObject } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';
import { escapeText } from './jsonb-text.ts';

/** Characters; a tsvector holds a megabyte at most. */
const SEARCHED = 200_000;
/** Characters. The first ones say what it is about. */
const EMBEDDED = 8_000;

/** Of a model call what was new in it: what came before is searched in the calls before. */
export function searchText(step: Step, newMessages: readonly unknown[]): string {
  return textOf(step, newMessages, SEARCHED);
}

export function embeddedText(step: Step, newMessages: readonly unknown[]): string {
  return textOf(step, newMessages, EMBEDDED);
}

function textOf(step: Step, newMessages: readonly unknown[], limit: number): string {
  const parts: string[] = [step.name];
  let left = limit - step.name.length;
  const add = (text: string): void => {
    if (left <= 0 || text === '') return;
    parts.push(text.length > left ? text.slice(0, left) : text);
    left -= text.length + 1;
  };
  if (step.kind === 'llm') {
    for (const message of newMessages) words(asObject(message)['content'], add);
    const answer = asObject(asObject(step.output)['message']);
    words(answer['content'], add);
    for (const call of asList(answer['toolCalls'])) words(call, add);
    if (!answer['role']) words(asObject(step.input)['input'], add);
  } else {
    words(step.input, add);
    words(step.output, add);
  }
  if (step.error) add(`${step.error.code} ${step.error.message}`);
  return escapeText(parts.join('\n'));
}

/** Texts and numbers of a value, in order; not what is bytes. */
function words(value: unknown, add: (text: string) => void): void {
  if (typeof value === 'string') add(value);
  else if (typeof value === 'number') add(String(value));
  else if (Array.isArray(value)) {
    // A vector, or a table of figures, is no text.
    if (value.length > 64 && value.every((member) => typeof member === 'number')) return;
    for (const member of value as readonly unknown[]) words(member, add);
  } else if (isObject(value)) {
    if (asText(value['base64']) !== null && typeof value['bytes'] === 'number') return;
    for (const [name, member] of Object.entries(value)) {
      if (name === 'raw' || name === 'headers') continue;
      add(name);
      words(member, add);
    }
  }
}
