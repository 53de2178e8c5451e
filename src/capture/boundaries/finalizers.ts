/**
 * Garbage collection as a source of order: finalizers run when the log says so, and a WeakRef dies when it died in the
 * recorded run. Installed before undici loads, which cancels unread bodies from a finalizer.
 */
import { NativeFinalizationRegistry, NativeWeakRef } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, patchValue } from '../../runtime/patches.ts';
import { bufferAlloc } from '../../runtime/natives.ts';
import type { Session } from '../session.ts';

export function installFinalizers(session: Session): void {
  patchValue(globalThis, 'FinalizationRegistry', recordedRegistry(session));
  patchValue(globalThis, 'WeakRef', recordedWeakRef(session));
}

function recordedRegistry(session: Session): FinalizationRegistryConstructor {
  const shim = class RecordedRegistry<T> {
    #next = 0;
    #operation = 0;
    readonly #callback: (held: T) => void;
    readonly #held: Map<number, T> = new Map();
    readonly #tokens: WeakMap<WeakKey, number[]> = new WeakMap();
    readonly #native: FinalizationRegistry<number>;

    constructor(callback: (held: T) => void) {
      this.#callback = callback;
      this.#native = new NativeFinalizationRegistry<number>((key) => {
        if (!this.#held.has(key)) return;
        const which = bufferAlloc(4);
        which.writeUInt32LE(key, 0);
        session.arrivedLater(this.#operation, 'finalized', 0, which, () => void this.#finalize(key));
      });
      this.#operation = session.operation('finalizer', '[]', (_, _status, data) => (this.#finalize(data.readUInt32LE(0)) ? undefined : false));
    }

    register(target: WeakKey, held: T, token?: WeakKey): void {
      const key = ++this.#next;
      this.#native.register(target, key, ...(token === undefined ? [] : [token]));
      this.#held.set(key, held);
      if (token === undefined) return;
      const keys = this.#tokens.get(token);
      if (keys) keys.push(key);
      else this.#tokens.set(token, [key]);
    }

    unregister(token: WeakKey): boolean {
      this.#native.unregister(token);
      const keys = this.#tokens.get(token) ?? [];
      this.#tokens.delete(token);
      return keys.map((key) => this.#held.delete(key)).includes(true);
    }

    #finalize(key: number): boolean {
      if (!this.#held.has(key)) return false;
      const held = this.#held.get(key) as T;
      this.#held.delete(key);
      this.#callback(held);
      return true;
    }
  };
  Object.defineProperty(shim.prototype, Symbol.toStringTag, { value: 'FinalizationRegistry', configurable: true });
  return disguise(shim as unknown as AnyFunction, NativeFinalizationRegistry as unknown as AnyFunction) as unknown as FinalizationRegistryConstructor;
}

function recordedWeakRef(session: Session): WeakRefConstructor {
  let count = 0;
  const shim = class RecordedWeakRef<T extends WeakKey> {
    readonly #id: number = ++count;
    #reads = 0;
    #dead = false;
    readonly #native: WeakRef<T>;
    /** In replay the target lives until the log says that it was gone. */
    #target: T | undefined;

    constructor(target: T) {
      this.#native = new NativeWeakRef(target);
      this.#target = session.effect<T | undefined>(() => undefined, target);
    }

    deref(): T | undefined {
      if (this.#dead) return undefined;
      this.#reads++;
      const target = session.weakRead(this.#id, this.#reads, () => this.#native.deref(), this.#target);
      if (target === undefined) {
        this.#dead = true;
        this.#target = undefined;
      }
      return target;
    }
  };
  Object.defineProperty(shim.prototype, Symbol.toStringTag, { value: 'WeakRef', configurable: true });
  return disguise(shim as unknown as AnyFunction, NativeWeakRef as unknown as AnyFunction) as unknown as WeakRefConstructor;
}
