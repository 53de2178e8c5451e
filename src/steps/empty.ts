/** Answers that hold nothing. */
import { isObject } from './json.ts';

/** Lists that are empty when all is well. */
const WELL_EMPTY = /error|warning|tag|label|fail|issue|message|permission|include|link|header|notice|detail/i;

/** @returns what is empty, in words; null where something is there. */
export function emptyIn(value: unknown): string | null {
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : null;
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  if (entries.length === 0) return 'an empty object';
  const lists = entries.filter(([name, member]) => Array.isArray(member) && !WELL_EMPTY.test(name));
  const allEmpty = lists.length > 0 && lists.every(([, member]) => (member as unknown[]).length === 0);
  return allEmpty ? `an empty list (${lists.map(([name]) => name).join(', ')})` : null;
}
