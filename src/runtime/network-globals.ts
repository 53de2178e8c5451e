/** Put by the build into the bundle of src/replay/semantic/network.ts, in the place of what the program's boundaries watch and what Node 20 lacks. */
const { random } = Math;
const NativeDate: DateConstructor = globalThis.Date;
const nativeSetTimeout: typeof setTimeout = globalThis.setTimeout;
const nativeClearTimeout: typeof clearTimeout = globalThis.clearTimeout;
const nativeSetImmediate: typeof setImmediate = globalThis.setImmediate;

export const pristineRandom: () => number = random;
export { NativeDate as Date, nativeClearTimeout as clearTimeout, nativeSetImmediate as setImmediate, nativeSetTimeout as setTimeout };

export function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T | PromiseLike<T>) => void; reject: (reason?: unknown) => void } {
  let resolve!: (value: T | PromiseLike<T>) => void;
  let reject!: (reason?: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
