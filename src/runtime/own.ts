/** Marks what the harness itself does below a patched layer: boundaries let it pass untouched. */
import { setImmediate, setTimeout } from './natives.ts';
import { beginOwn, endOwn } from './own-depth.ts';

export { isOwn } from './own-depth.ts';

export function ownImmediate(callback: () => void): NodeJS.Immediate {
  beginOwn();
  try {
    return setImmediate(callback);
  } finally {
    endOwn();
  }
}

/** @param ms delay in milliseconds */
export function ownTimeout(callback: () => void, ms: number): NodeJS.Timeout {
  beginOwn();
  try {
    return setTimeout(callback, ms);
  } finally {
    endOwn();
  }
}
