/**
 * Garbage collection as a source of order: finalizers run when the log says so, and a WeakRef dies when it died in the
 * recorded run. Installed before undici loads, which cancels unread bodies from a finalizer.
 */
import { apply, bufferAlloc, construct, isDisturbed, isErrored, NativeFinalizationRegistry, NativeWeakRef } from '../../runtime/natives.ts';
import { type AnyFunction, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { callerFile } from '../../runtime/stack.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';

/** Recorders before it left alone what was there before them. */
const KNOWS_EARLIER = 3;

const UNDICI = 'node:internal/deps/undici/undici';

/** @param surface of the run's recorder */
export function installFinalizers(session: Session, surface: number): void {
  const Registry = recordedRegistry(NativeFinalizationRegistry, session, surface >= KNOWS_EARLIER ? (...registered) => registerEarlier(...registered) : undefined);
  const { register } = Registry.prototype as { register: AnyFunction };
  const earlier = createStash<object | null>();
  /**
   * Node loads its undici before any preload where the environment names a proxy (NODE_USE_ENV_PROXY), and another preload may
   * have used `fetch`: a registry of the harness then does what undici's own would.
   */
  const registerEarlier: RegisterEarlier = (registry, target, held) => {
    let standIn = earlier.get(registry);
    if (standIn === undefined) {
      const isUndici = callerFile(registerEarlier) === UNDICI;
      if (!isUndici) session.mayDiffer('a FinalizationRegistry that was made before the harness was loaded');
      // Its other one takes listeners off signals, which nobody sees.
      standIn = isUndici && isRecordedRef(held) ? construct(Registry, [cancelUnread]) as object : null;
      earlier.set(registry, standIn);
    }
    if (standIn) apply(register, standIn, [target, held]);
    return standIn !== null;
  };
  patchValue(globalThis, 'FinalizationRegistry', Registry);
  patchValue(globalThis, 'WeakRef', recordedWeakRef(NativeWeakRef, session));
}

/** What undici does when an answer was collected whose body nobody has read: its connection is free again. */
function cancelUnread(ref: WeakRef<ReadableStream>): void {
  const stream = ref.deref();
  if (stream && !stream.locked && !isDisturbed(stream) && !isErrored(stream)) stream.cancel('Response object has been garbage collected').catch(() => {});
}

/** Of a registry that no recorded constructor made. @returns whether it was registered elsewhere */
type RegisterEarlier = (registry: object, target: WeakKey, held: unknown) => boolean;

interface RegistryState {
  next: number;
  readonly held: Map<number, unknown>;
  readonly tokens: WeakMap<WeakKey, number[]>;
}

/** @param native of any realm @param earlier takes what is registered with one that was made before it could be recorded */
export function recordedRegistry(native: FinalizationRegistryConstructor, session: Session, earlier?: RegisterEarlier): AnyFunction {
  const states = createStash<RegistryState>();
  const { prototype } = native;
  patchMethod(prototype, 'register', (native) => function (this: object, ...args: unknown[]): void {
    const state = states.get(this);
    const [target, held, token] = args;
    if (!state) return void ((earlier && this instanceof NativeFinalizationRegistry && earlier(this, target as WeakKey, held)) || apply(native, this, args));
    const key = ++state.next;
    // Native code checks that the target is not what is held for it.
    apply(native, this, target === held ? args : [target, key, ...args.slice(2)]);
    state.held.set(key, held);
    if (token === undefined) return;
    const keys = state.tokens.get(token as WeakKey);
    if (keys) keys.push(key);
    else state.tokens.set(token as WeakKey, [key]);
  });
  patchMethod(prototype, 'unregister', (native) => function (this: object, ...args: unknown[]): boolean {
    const state = states.get(this);
    const isRegistered = apply(native, this, args) as boolean;
    if (!state) return isRegistered;
    const keys = state.tokens.get(args[0] as WeakKey) ?? [];
    state.tokens.delete(args[0] as WeakKey);
    return keys.map((key) => state.held.delete(key)).includes(true);
  });
  return disguiseConstructor(native as unknown as AnyFunction, (target, args) => {
    const [callback] = args as [AnyFunction];
    const state: RegistryState = { next: 0, held: new Map(), tokens: new WeakMap() };
    const finalize = (key: number): boolean => {
      if (!state.held.has(key)) return false;
      const held = state.held.get(key);
      state.held.delete(key);
      callback(held);
      return true;
    };
    let operation = 0;
    const collected = (key: number): void => {
      if (!state.held.has(key)) return;
      const which = bufferAlloc(4);
      which.writeUInt32LE(key, 0);
      session.arrivedLater(operation, 'finalized', 0, which, () => void finalize(key));
    };
    const registry = construct(native as unknown as AnyFunction, typeof callback === 'function' ? [collected] : args, target) as object;
    states.set(registry, state);
    operation = session.operation('finalizer', '[]', (_, _status, data) => (finalize(data.readUInt32LE(0)) ? undefined : false));
    return registry;
  });
}

interface RefState {
  readonly id: number;
  reads: number;
  dead: boolean;
  /** In replay the target lives until the log says that it was gone. */
  target: WeakKey | undefined;
}

/** References are numbered, in all realms together. */
let count = 0;
const refs = createStash<RefState>();

function isRecordedRef(value: unknown): boolean {
  return typeof value === 'object' && value !== null && refs.get(value) !== undefined;
}

/** @param native of any realm */
export function recordedWeakRef(native: WeakRefConstructor, session: Session): AnyFunction {
  patchMethod(native.prototype, 'deref', (deref) => function (this: object): unknown {
    const state = refs.get(this);
    if (!state) return apply(deref, this, []) as unknown;
    if (state.dead) return undefined;
    state.reads++;
    const target = session.weakRead(state.id, state.reads, () => apply(deref, this, []) as WeakKey | undefined, state.target);
    if (target !== undefined) return target;
    state.dead = true;
    state.target = undefined;
    return undefined;
  });
  return disguiseConstructor(native as unknown as AnyFunction, (target, args) => {
    const ref = construct(native as unknown as AnyFunction, args, target) as object;
    refs.set(ref, { id: ++count, reads: 0, dead: false, target: session.effect<WeakKey | undefined>(() => undefined, args[0] as WeakKey) });
    return ref;
  });
}
