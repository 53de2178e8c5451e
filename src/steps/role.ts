/** Who speaks, where several agents of one process ask models: named by the instructions that each gives. */
import { isConversation, messagesOf } from './conversation.ts';
import { cutAt } from './json.ts';
import { contentText } from './providers/provider.ts';
import type { Step } from './step.ts';

const ROLE = /\b(?:you are|you're|act as|your role is(?: to be)?|you will be)\s+(?:(?:the|an?|our|my)\s+)?([\p{L}\p{N}][^.,;:!?\n()"]*)/iu;
/** Where a role ends and its description begins. */
const DESCRIPTION = /\s+(?:of|for|who|that|which|in|on|with|at|to|from|and|working|designed|responsible|tasked)\s.*$/isu;
const LONGEST = 32;

/** @returns a name for each call that has instructions, by its step. */
export function rolesOf(steps: readonly Step[]): Map<number, string> {
  const roles = new Map<number, string>();
  for (const step of steps) {
    const instructions = instructionsOf(step);
    if (instructions !== '') roles.set(step.step, nameIn(instructions));
  }
  return roles;
}

/** @returns what the system or the developer says at the beginning; '' where there is nothing. */
export function instructionsOf(step: Step): string {
  const first = isConversation(step) ? messagesOf(step)[0] : undefined;
  return first && (first.role === 'system' || first.role === 'developer') ? contentText(first.content).trim() : '';
}

function nameIn(instructions: string): string {
  const role = ROLE.exec(instructions.slice(0, 2000))?.[1]?.replace(DESCRIPTION, '').replace(/\s+/g, ' ').trim() ?? '';
  if (role !== '' && role.length <= LONGEST) return role;
  const words = (role || instructions.slice(0, 200)).split(/\s+/).slice(0, 4).join(' ');
  return `“${words.length > LONGEST ? cutAt(words, LONGEST) : words}…”`;
}
