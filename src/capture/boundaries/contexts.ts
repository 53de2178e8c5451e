/** Every vm context is a realm of its own, with its own clock, chance, references and compiler. */
import { apply } from '../../runtime/natives.ts';
import { hideSources, patchMethod } from '../../runtime/patches.ts';
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import type { Session } from '../session.ts';
import { patchFormats, patchTemporal, recordedDate, type Temporal } from './clock.ts';
import { recordedRegistry, recordedWeakRef } from './finalizers.ts';
import { blockWaits } from './uncaptured.ts';
import { patchWasm } from './wasm.ts';

type Realm = Pick<typeof globalThis, 'Date' | 'Math' | 'Intl' | 'Atomics' | 'Function' | 'FinalizationRegistry' | 'WeakRef'> & { readonly Temporal?: Temporal; readonly WebAssembly?: typeof WebAssembly };

/** Evaluated in a context. */
const REALM = '({ Date, Math, Intl, Atomics, Function, FinalizationRegistry, WeakRef, Temporal: globalThis.Temporal, WebAssembly: globalThis.WebAssembly })';
const DEFINE = '(name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })';

export function installContexts(session: Session): void {
  const vm = process.getBuiltinModule('node:vm');
  const adapt = (context: object): void => {
    const realm = vm.runInContext(REALM, context) as Realm;
    const define = vm.runInContext(DEFINE, context) as (name: string, value: unknown) => void;
    const replace = (name: keyof Realm, shim: () => unknown): void => {
      // What the program put there itself stays.
      const own = (context as Record<string, unknown>)[name];
      if (own === undefined || own === realm[name]) define(name, shim());
    };
    replace('Date', () => recordedDate(realm.Date, () => session.clock.dateNow()));
    replace('FinalizationRegistry', () => recordedRegistry(realm.FinalizationRegistry, session));
    replace('WeakRef', () => recordedWeakRef(realm.WeakRef, session));
    patchMethod(realm.Math, 'random', () => () => session.random());
    patchFormats(realm.Intl.DateTimeFormat.prototype, session);
    patchTemporal(realm.Temporal, session);
    patchWasm(realm.WebAssembly, session);
    blockWaits(realm.Atomics, session);
    hideSources(realm.Function.prototype as object);
  };
  patchMethod(vm, 'createContext', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const known = typeof args[0] === 'object' && args[0] !== null && vm.isContext(args[0]);
    const context = apply(native, this, args) as object;
    if (!known && typeof context === 'object') adapt(context);
    return context;
  });
  // What is a context already is taken as it is.
  patchMethod(vm.Script.prototype, 'runInNewContext', (native) => function (this: object, object?: object, options?: object): unknown {
    return apply(native, this, [vm.createContext(object ?? {}, contextOptions(options)), options]);
  });
  patchMethod(vm, 'runInNewContext', (native) => function (this: unknown, code: string, object?: object, options?: object | string): unknown {
    return apply(native, this, [code, vm.createContext(object ?? {}, contextOptions(typeof options === 'string' ? undefined : options)), options]);
  });
  patchMethod(vm, 'measureMemory', (native) => function measureMemory(this: unknown, ...args: unknown[]): unknown {
    return measured(session, () => apply(native, this, args) as Promise<unknown>);
  });
}

function contextOptions(options: object | undefined): object {
  const { contextName, contextOrigin, contextCodeGeneration, microtaskMode } = (options ?? {}) as Record<string, unknown>;
  const chosen = { name: contextName, origin: contextOrigin, codeGeneration: contextCodeGeneration, microtaskMode };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

/** The engine answers when it next collects garbage. It is asked in both modes, since it warns and refuses. */
function measured(session: Session, live: () => Promise<unknown>): Promise<unknown> {
  const figures = live();
  return new Promise((resolve, reject) => {
    session.served('measurement', '["vm.measureMemory"]', (settle) => {
      figures.then((result) => settle(0, encodeOutcome({ result })), (error: unknown) => settle(0, encodeOutcome({ error })));
    }, (_, data) => {
      const outcome = decodeOutcome(data);
      if ('error' in outcome) reject(outcome.error as Error);
      else resolve(outcome.result);
    });
    figures.catch(() => {});
  });
}
