import { cutAt } from '../json.ts';

/** @returns the text on one line of bearable length. */
export function shortly(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${cutAt(line, 160)}…` : line;
}
