/** Text on a terminal: colours, clipping, and nothing of a recording that the terminal would obey. */
import { cutAt } from '../../steps/json.ts';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
export type Paint = (style: keyof typeof CODES, text: string) => string;

export function painter(color: boolean): Paint {
  return color ? (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m` : (_style, text) => text;
}

/** Control characters, and those that reorder text or are not seen, as escapes; line ends and tabs stay. */
export function visible(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, escapeOf);
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** @returns the text on one line of at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const line = visible(text.slice(0, limit * 4)).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${cutAt(line, limit)}…` : line;
}

/** Of a text that is cut, the share of its lines or characters that is from its beginning. */
const HEAD = 2 / 3;

/** @returns the lines of a text, without empty ones and without its middle where it is long, unless everything is wanted; `step` is where the rest is to be seen. */
export function clippedLines(text: string, limits: { lines: number; columns: number } | undefined, step: number): string[] {
  const whole = visible(text.trimEnd()).replaceAll('\t', '    ');
  if (!limits) return whole.split('\n');
  const lines = whole.split('\n').filter((line) => line.trim() !== '');
  if (lines.length <= limits.lines) return lines.map((line) => withoutMiddle(line, limits.columns, step));
  const head = Math.round(limits.lines * HEAD);
  const tail = limits.lines - head;
  const shorten = (part: readonly string[]): string[] => part.map((line) => withoutMiddle(line, limits.columns, step));
  return [...shorten(lines.slice(0, head)), leftOut(lines.slice(head, -tail).join('\n').length, step), ...shorten(lines.slice(-tail))];
}

function withoutMiddle(line: string, columns: number, step: number): string {
  if (line.length <= columns) return line;
  const room = columns - leftOut(line.length, step).length - 3;
  const head = cutAt(line, Math.round(room * HEAD));
  const tail = line.slice(line.length - Math.round(room * (1 - HEAD))).replace(/^[\udc00-\udfff]/, '');
  return `${head} ${leftOut(line.length - head.length - tail.length, step)} … ${tail}`;
}

function leftOut(characters: number, step: number): string {
  return `… ${counted(characters, 'more character')} (show --step ${step})`;
}

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** @returns e.g. `12,345`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}
