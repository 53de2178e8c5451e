/** Asynchronous (de)compression: the work is done again for real, its completion is delivered in the recorded turn. */
import { binding } from '../../runtime/bindings.ts';
import { apply } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';

type Settle = (run: () => void) => void;

export function installZlib(session: Session): void {
  const settles = createStash<Settle>();
  for (const codec of Object.values(binding('zlib'))) {
    const prototype = typeof codec === 'function' ? (codec.prototype as object | undefined) : undefined;
    if (!prototype || !('write' in prototype) || !('init' in prototype)) continue;
    patchMethod(prototype, 'init', (native) => function (this: object, ...args: unknown[]): unknown {
      return apply(native, this, args.map((arg) => (typeof arg === 'function' ? tap(arg as AnyFunction, settles.get) : arg)));
    });
    patchMethod(prototype, 'write', (native) => function (this: object, ...args: unknown[]): unknown {
      let returned: unknown;
      session.ordered('zlib', '[]', true, (settle) => {
        settles.set(this, settle);
        returned = apply(native, this, args);
      });
      return returned;
    });
  }
}

function tap(callback: AnyFunction, settleOf: (handle: object) => Settle | undefined): AnyFunction {
  return function (this: object, ...args: unknown[]): void {
    settleOf(this)?.(() => void apply(callback, this, args));
  };
}
