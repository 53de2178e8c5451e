/** Node marks the errors that it makes itself by a symbol: their stacks and texts show the code, as in `TypeError [ERR_INVALID_ARG_TYPE]: …`. */
import { defineProperty, getPrototypeOf, ownKeys } from './natives.ts';

const MARK: symbol | undefined = findMark();

function findMark(): symbol | undefined {
  try {
    process.chdir(undefined as unknown as string);
  } catch (error) {
    for (let holder = error as object | null; holder; holder = getPrototypeOf(holder) as object | null) {
      const mark = ownKeys(holder).find((key): key is symbol => typeof key === 'symbol' && key.description === 'kIsNodeError');
      if (mark) return mark;
    }
  }
  return undefined;
}

export function isNodeError(error: unknown): boolean {
  return MARK !== undefined && (error as Record<symbol, unknown>)[MARK] === true;
}

export function markNodeError(error: NodeJS.ErrnoException): void {
  if (MARK === undefined) return;
  const { code } = error;
  const { toString } = {
    toString(this: Error): string {
      return `${this.name} [${code}]: ${this.message}`;
    },
  };
  defineProperty(error, MARK, { value: true, writable: true, enumerable: false, configurable: true });
  defineProperty(error, 'toString', { value: toString, writable: true, enumerable: false, configurable: true });
}
