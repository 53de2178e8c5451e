/** Marks what the harness itself does below a patched layer: boundaries let it pass untouched. */
import { setImmediate, setTimeout } from './natives.ts';
import { own } from './own-depth.ts';

export { isOwn } from './own-depth.ts';

/** Runs `call` as the harness's own: nothing that it uses is recorded. */
export function asOwn<T>(call: () => T): T {
  own.depth++;
  try {
    return call();
  } finally {
    own.depth--;
  }
}

export function ownImmediate(callback: () => void): NodeJS.Immediate {
  return asOwn(() => setImmediate(callback));
}

/** @param ms delay in milliseconds */
export function ownTimeout(callback: () => void, ms: number): NodeJS.Timeout {
  return asOwn(() => setTimeout(callback, ms));
}
