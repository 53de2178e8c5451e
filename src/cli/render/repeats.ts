/** Text that a program prints and a model said. */
import { answerOf } from '../../steps/conversation.ts';
import { cutAt } from '../../steps/json.ts';
import { contentText } from '../../steps/providers/provider.ts';
import type { Step } from '../../steps/step.ts';

/** Shorter answers are printed by accident, too. */
const SHORTEST = 20;
const WHOLE = 80;
const HEAD = 40;

/** @returns what a model said, without space around it; empty where it said nothing. */
export function answerText(step: Step): string {
  return contentText(answerOf(step)?.content).trim();
}

/** @returns the text with the answer that led to it named, and of a long one the beginning only. */
export function namingAnswer(text: string, asker: Step | undefined): string {
  const answer = asker ? answerText(asker) : '';
  const at = answer.length < SHORTEST ? -1 : text.indexOf(answer);
  if (at < 0) return text;
  const [line = ''] = answer.split('\n');
  const shown = answer.length <= WHOLE && line === answer ? answer : `${cutAt(line, HEAD)}…`;
  return `${text.slice(0, at)}${shown} (= answer ${asker?.step})${text.slice(at + answer.length)}`;
}
