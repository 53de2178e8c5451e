/** The first place where two JSON values differ, at any depth: nothing here recurses. */
import { isObject, preview } from './json.ts';
import { windowsOf } from './text-diff.ts';

export interface Difference {
  /** `method`, `url`, `headers.content-type`, `body.messages[1].content`, `line 3, column 5`, `byte 17`. */
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

interface Place {
  readonly parent: Place | null;
  readonly key: string | number;
}

interface Pair {
  readonly place: Place | null;
  readonly expected: unknown;
  readonly actual: unknown;
}

const ABSENT = Symbol('absent');
const PATH_LIMIT = 240;

export function firstJsonDifference(root: string, expected: unknown, actual: unknown): Difference | undefined {
  const pending: Pair[] = [{ place: null, expected, actual }];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    if (Array.isArray(pair.expected) && Array.isArray(pair.actual)) pushItems(pending, pair, pair.expected, pair.actual);
    else if (isObject(pair.expected) && isObject(pair.actual)) pushMembers(pending, pair, pair.expected, pair.actual);
    else if (pair.expected !== pair.actual) return { field: pathOf(root, pair.place), ...shown(pair.expected, pair.actual) };
  }
  return undefined;
}

/** The last pushed is compared first. */
function pushItems(pending: Pair[], { place }: Pair, expected: readonly unknown[], actual: readonly unknown[]): void {
  for (let index = Math.max(expected.length, actual.length) - 1; index >= 0; index--) {
    pending.push({
      place: { parent: place, key: index },
      expected: index < expected.length ? expected[index] : ABSENT,
      actual: index < actual.length ? actual[index] : ABSENT,
    });
  }
}

function pushMembers(pending: Pair[], { place }: Pair, expected: Readonly<Record<string, unknown>>, actual: Readonly<Record<string, unknown>>): void {
  const added = Object.keys(actual).filter((key) => !Object.hasOwn(expected, key));
  for (const key of [...Object.keys(expected), ...added].reverse()) {
    pending.push({
      place: { parent: place, key },
      expected: Object.hasOwn(expected, key) ? expected[key] : ABSENT,
      actual: Object.hasOwn(actual, key) ? actual[key] : ABSENT,
    });
  }
}

function shown(expected: unknown, actual: unknown): { expected: string; actual: string } {
  if (typeof expected === 'string' && typeof actual === 'string') return windowsOf(expected, actual);
  return { expected: showSide(expected), actual: showSide(actual) };
}

function showSide(value: unknown): string {
  return value === ABSENT ? '(absent)' : preview(value);
}

function pathOf(root: string, place: Place | null): string {
  const keys: string[] = [];
  for (let at = place; at; at = at.parent) keys.push(keyText(at.key));
  const path = root + keys.reverse().join('');
  const whole = path.startsWith('.') ? path.slice(1) : path;
  return whole.length > PATH_LIMIT ? `${whole.slice(0, PATH_LIMIT / 2)}…${whole.slice(-PATH_LIMIT / 2)}` : whole;
}

function keyText(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${preview(key, 60)}]`;
}
