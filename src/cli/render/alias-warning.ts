/** Says which models of a run may be others by the time it is repeated. */
import type { Step } from '../../steps/step.ts';
import { counted, visible } from './text.ts';

const NAMED = 3;

/** @returns models whose answers name no dated snapshot. */
export function aliasesOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(({ envelope, error }) => (envelope?.model && envelope.snapshot === null && !error ? [envelope.model] : [])))];
}

/** @returns one line, or null when every answer came from a pinned model. */
export function aliasWarning(steps: readonly Step[]): string | null {
  const aliases = aliasesOf(steps);
  if (aliases.length === 0) return null;
  const shown = aliases.slice(0, NAMED).map((model) => `"${visible(model)}"`);
  const more = aliases.length - shown.length;
  const names = [...shown, ...(more > 0 ? [counted(more, 'other')] : [])].join(', ');
  const [models, are, name] = aliases.length === 1 ? ['model', 'is an alias', 'it'] : ['models', 'are aliases', 'they'];
  return `${models} ${names} ${are}: the answers name no dated snapshot, so live calls (fork) may reach a different model than ${name} stood for`;
}
