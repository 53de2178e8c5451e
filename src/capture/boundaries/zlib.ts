/** Asynchronous (de)compression: the work is done again for real, its completion is delivered in the recorded turn. */
import { binding } from '../../runtime/bindings.ts';
import { apply } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { createStash, type Stash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';

type Settle = (run: () => void) => void;

const callError = calledAs('onerror');
const tapped = new WeakSet<AnyFunction>();

export function installZlib(session: Session): void {
  session.owns('ZLIB');
  const settles = createStash<Settle | undefined>();
  const callbacks = createStash<AnyFunction>();
  for (const codec of Object.values(binding('zlib'))) {
    const prototype = typeof codec === 'function' ? (codec.prototype as object | undefined) : undefined;
    if (!prototype || !('write' in prototype) || !('init' in prototype)) continue;
    const { writeSync } = prototype as unknown as { writeSync: AnyFunction };
    patchMethod(prototype, 'init', (native) => function (this: object, ...args: unknown[]): unknown {
      const callback = args.find((arg) => typeof arg === 'function');
      if (callback) callbacks.set(this, callback as AnyFunction);
      return apply(native, this, args.map((arg) => (typeof arg === 'function' ? tap(arg as AnyFunction, settles) : arg)));
    });
    patchMethod(prototype, 'write', (native) => function (this: object, ...args: unknown[]): unknown {
      tapErrors(this, settles);
      let returned: unknown;
      session.ordered('zlib', '[]', true, (settle) => {
        settles.set(this, settle);
        // In replay at once and on this thread: a native completion would run the program's ticks at a moment of its own.
        returned = apply(session.effect(() => native, writeSync), this, args);
      });
      session.effect(() => () => {}, () => completeNow(this, settles, callbacks))();
      return returned;
    });
  }
}

/** What the runtime does after an asynchronous write, after a synchronous one that did not fail. */
function completeNow(handle: object, settles: Stash<Settle | undefined>, callbacks: Stash<AnyFunction>): void {
  const settle = settles.get(handle);
  settles.set(handle, undefined);
  settle?.(() => void apply(callbacks.get(handle) as AnyFunction, handle, []));
}

function tap(callback: AnyFunction, settles: Stash<Settle | undefined>, call: typeof apply = apply): AnyFunction {
  return function (this: object, ...args: unknown[]): void {
    const settle = settles.get(this);
    settles.set(this, undefined);
    // Without an asynchronous write under way the runtime reports a synchronous one.
    if (settle) settle(() => void call(callback, this, args));
    else call(callback, this, args);
  };
}

/** Failures come by another property than results. */
function tapErrors(handle: object & { onerror?: AnyFunction }, settles: Stash<Settle | undefined>): void {
  const { onerror } = handle;
  if (!onerror || tapped.has(onerror)) return;
  handle.onerror = tap(onerror, settles, callError as typeof apply);
  tapped.add(handle.onerror);
}
