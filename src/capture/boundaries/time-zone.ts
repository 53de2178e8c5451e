/**
 * The time zone that a machine is set to shows in every date. A replay on a machine in another zone is given the recorded one by the only way
 * there is, the variable `TZ`, and the program does not see that: `process.env` is a proxy there, and nowhere else.
 */
import { inspect } from 'node:util';
import { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, processEnv, reflectDelete, reflectSet } from '../../runtime/natives.ts';
import { patchValue } from '../../runtime/patches.ts';
import { leavesZoneToHost } from '../../runtime/time-zone.ts';
import type { Session } from '../session.ts';

export function installTimeZone(session: Session): void {
  if (/(^|[:/])localtime$/.test(processEnv['TZ'] ?? '')) session.mayDiffer(`the time zone of a file (TZ=${processEnv['TZ']})`);
  const zone = session.foreignTimeZone();
  if (zone === undefined) return;
  patchValue(process, 'env', withoutZone(zone));
}

function withoutZone(zone: string): NodeJS.ProcessEnv {
  // What shows a proxy goes past it: to its target, which shows what the program sees.
  const target = defineProperty(Object.create(getPrototypeOf(processEnv)) as object, inspect.custom, {
    configurable: true,
    value(this: NodeJS.ProcessEnv) {
      return { ...this };
    },
  });
  return new Proxy(target, new HiddenZone(zone)) as NodeJS.ProcessEnv;
}

class HiddenZone implements ProxyHandler<object> {
  readonly #env = processEnv as Record<string | symbol, unknown>;
  readonly #zone: string;
  #isHidden = false;
  /** What the program sees in its place. */
  #shown: unknown;

  constructor(zone: string) {
    this.#zone = zone;
    this.#settle();
  }

  get(_: object, name: string | symbol): unknown {
    return this.#hides(name) ? this.#shown : this.#env[name];
  }

  has(_: object, name: string | symbol): boolean {
    return this.#hides(name) ? this.#shown !== undefined : name in this.#env;
  }

  ownKeys(): (string | symbol)[] {
    return ownKeys(this.#env).filter((name) => this.#shown !== undefined || !this.#hides(name));
  }

  getOwnPropertyDescriptor(_: object, name: string | symbol): PropertyDescriptor | undefined {
    const descriptor = getOwnPropertyDescriptor(this.#env, name);
    if (!descriptor || !this.#hides(name)) return descriptor;
    return this.#shown === undefined ? undefined : { ...descriptor, value: this.#shown };
  }

  set(_: object, name: string | symbol, value: unknown): boolean {
    const isSet = reflectSet(this.#env, name, value);
    if (name === 'TZ') this.#settle();
    return isSet;
  }

  defineProperty(_: object, name: string | symbol, descriptor: PropertyDescriptor): boolean {
    // With the runtime's own error for what it does not take.
    defineProperty(this.#env, name, descriptor);
    if (name === 'TZ') this.#settle();
    return true;
  }

  deleteProperty(_: object, name: string | symbol): boolean {
    const isDeleted = reflectDelete(this.#env, name);
    if (name === 'TZ') this.#settle();
    return isDeleted;
  }

  #settle(): void {
    this.#shown = this.#env['TZ'];
    this.#isHidden = leavesZoneToHost(this.#shown as string | undefined);
    if (this.#isHidden) this.#env['TZ'] = this.#zone;
  }

  /** What native code has set since (`process.loadEnvFile`) is shown. */
  #hides(name: string | symbol): boolean {
    return name === 'TZ' && this.#isHidden && this.#env['TZ'] === this.#zone;
  }
}
