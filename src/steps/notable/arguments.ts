/** Arguments that the model can have from nothing that it was told. Only of values that are copied and not worded: numbers of things. */
import { isConversation } from '../conversation.ts';
import { asObject, canonicalJson, isObject } from '../json.ts';
import type { Step } from '../step.ts';
import type { Notable } from './notable.ts';

/** `A-7001`, `user_42a`, `SKU123`; no dates, no times, no text. */
const IDENTIFIER = /^(?=.*\d)(?=.*\p{L})[\p{L}\p{N}][\p{L}\p{N}._:#@-]{3,63}$/u;
const TIME = /^\d{4}-\d\d(?:-\d\d)?|^\d{1,2}:\d\d|^\d+(?:ms|s|m|h|d|px|kb|mb|gb|am|pm|st|nd|rd|th)$/i;

export function argumentsFromNowhere(steps: readonly Step[]): Notable[] {
  return steps.flatMap((step) => {
    const calls = step.toolCalls ?? [];
    if (calls.length === 0 || !isConversation(step)) return [];
    let told: string | undefined;
    return calls.flatMap((call) => identifiersIn(call.args).flatMap(({ name, value }): Notable[] => {
      const { messages, tools } = asObject(step.input);
      told ??= canonicalJson([messages, tools]).toLowerCase();
      if (isToldOf(value, told)) return [];
      return [{ what: 'argument-from-nowhere', steps: [step.step], text: `${call.name} was asked for with ${name} ${JSON.stringify(value)}, which is nowhere in what the model was told` }];
    }));
  });
}

/** The value, or the digits in it. */
function isToldOf(value: string, told: string): boolean {
  if (told.includes(value.toLowerCase())) return true;
  const digits = value.match(/\d{2,}/g) ?? [];
  return digits.length === 0 || digits.every((run) => told.includes(run));
}

function identifiersIn(value: unknown, name = ''): { name: string; value: string }[] {
  if (typeof value === 'string') return IDENTIFIER.test(value) && !TIME.test(value) ? [{ name, value }] : [];
  if (Array.isArray(value)) return value.flatMap((item) => identifiersIn(item, name));
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => identifiersIn(member, key)) : [];
}
