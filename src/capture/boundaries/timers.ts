/**
 * Timers of every kind, also those of Node's own modules.
 *
 * Node's constructors assign `_onTimeout` and `_onImmediate`, and its schedulers read them exactly when they fire. So
 * accessors on the two prototypes see every timer there is (setTimeout, timers/promises, AbortSignal.timeout, socket
 * timeouts, connection racing), while every object and function that the program sees stays Node's own.
 */
import { inspect, type InspectOptions } from 'node:util';
import { apply, clearImmediate, clearTimeout, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setImmediate, setTimeout } from '../../runtime/natives.ts';
import { asOwn, isOwn } from '../../runtime/own.ts';
import { type AnyFunction, calledAs, patchAlias, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

interface TimerState {
  /** What the runtime sees: null once cleared. */
  current: AnyFunction | null;
  /** What the program passed. */
  callback: AnyFunction | null;
  /** 0 for the harness's own. */
  operation: number;
  /** Arguments of an immediate that is off the runtime's queue. */
  args: unknown[] | undefined;
  /** Cleared by the program, and not by us to take it off that queue. */
  cleared: boolean;
  /** An immediate that the runtime ran without effect, and has forgotten since. */
  passed: boolean;
}

interface NativeTimeout {
  _idleTimeout: number;
  _idleNext: NativeTimeout | null;
  _idlePrev: NativeTimeout | null;
  _onTimeout: AnyFunction | null;
  _timerArgs: unknown[] | undefined;
  _repeat: number | null;
  _destroyed: boolean;
  refresh(): void;
}

interface NativeImmediate {
  _onImmediate: AnyFunction | null;
  _argv: unknown[] | undefined;
}

/** Longest delay that a native timer takes: 24.8 days. */
const PARKED_MS = 2 ** 31 - 1;

const states = createStash<TimerState>();
const callTimeout = calledAs('_onTimeout');
const callImmediate = calledAs('_onImmediate');

export function installTimers(session: Session): void {
  const timeout = setTimeout(() => {}, 1);
  clearTimeout(timeout);
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  interceptTimeouts(getPrototypeOf(timeout) as object, session);
  interceptImmediates(getPrototypeOf(immediate) as object, session);
  numberTimers(getPrototypeOf(timeout) as object);
  showTimeouts(getPrototypeOf(timeout) as object, session);
  showImmediates(getPrototypeOf(immediate) as object, session);
}

function interceptTimeouts(prototype: object, session: Session): void {
  const refresh = (prototype as NativeTimeout).refresh;
  const fire = function (this: object, ...args: unknown[]): unknown {
    const state = states.get(this) as TimerState;
    session.arrived(state.operation, 'fired', 0);
    return apply(state.callback as AnyFunction, this, args);
  };
  // Its name tells the stack filter how the runtime called.
  defineProperty(fire, 'name', { value: '_onTimeout' });
  let [delay, key] = [0, '[0]'];
  // Of the timer that is being started: one function for all of them.
  let starting: NativeTimeout | undefined;
  const asItIs = (): number => (starting as NativeTimeout)._idleTimeout;
  const begin = (timer: NativeTimeout, state: TimerState): void => {
    // Most are started with the delay of the one before: the text is made once.
    if (timer._idleTimeout !== delay) [delay, key] = [timer._idleTimeout, `[${timer._idleTimeout}]`];
    state.operation = session.operation('timer', key, () => fireParked(timer, state, refresh));
    starting = timer;
    timer._idleTimeout = session.effect(asItIs, PARKED_MS);
    starting = undefined;
  };
  intercept(prototype, '_onTimeout', fire, begin as (timer: object, state: TimerState) => void);
  patchMethod(prototype, 'refresh', (native) => function (this: object): unknown {
    const operation = states.get(this)?.operation;
    if (operation) session.rearms(operation);
    return apply(native, this, []);
  });
}

/** What Node's listOnTimeout does with one timer, by hand: the log says that it is due. */
function fireParked(timer: NativeTimeout, state: TimerState, refresh: () => void): void | false {
  if (timer._destroyed || !timer._idleNext) return false;
  if (timer._idleNext) timer._idleNext._idlePrev = timer._idlePrev;
  if (timer._idlePrev) timer._idlePrev._idleNext = timer._idleNext;
  timer._idleNext = null;
  timer._idlePrev = null;
  try {
    callTimeout(state.callback as AnyFunction, timer, timer._timerArgs ?? []);
  } finally {
    if (timer._repeat && timer._idleTimeout !== -1) {
      timer._idleTimeout = PARKED_MS;
      apply(refresh, timer, []);
    } else if (!timer._idleNext && !timer._destroyed) {
      clearTimeout(timer as unknown as NodeJS.Timeout);
      // A fired timer can be started again by refresh(): give back what clearing took.
      state.current = state.callback;
      timer._idleTimeout = PARKED_MS;
    }
  }
}

function interceptImmediates(prototype: object, session: Session): void {
  const fire = function (this: object, ...args: unknown[]): unknown {
    const state = states.get(this) as TimerState;
    state.args = args;
    // One that ran before it could be taken off the queue passes without effect in replay.
    state.passed = true;
    return session.effect(() => {
      session.arrived(state.operation, 'fired', 0);
      return callImmediate(state.callback as AnyFunction, this, args);
    }, undefined);
  };
  const begin = (immediate: NativeImmediate, state: TimerState): void => {
    state.operation = session.operation('immediate', '[]', () => {
      session.retire(state.operation);
      if (state.cleared) return false;
      callImmediate(state.callback as AnyFunction, immediate, state.args ?? immediate._argv ?? []);
      return undefined;
    });
    session.queued(() => {
      state.args ??= immediate._argv;
      asOwn(() => clearImmediate(immediate as unknown as NodeJS.Immediate));
    });
  };
  intercept(prototype, '_onImmediate', fire, begin as unknown as (timer: object, state: TimerState) => void);
}

function intercept(prototype: object, property: string, fire: AnyFunction, begin: (timer: object, state: TimerState) => void): void {
  defineProperty(prototype, property, {
    configurable: true,
    enumerable: false,
    get(this: object) {
      const state = states.get(this);
      return state?.current && state.operation !== 0 ? fire : state?.current;
    },
    set(this: object, value: AnyFunction | null) {
      let state = states.get(this);
      if (!state) states.add(this, (state = { current: value, callback: value, operation: 0, args: undefined, cleared: false, passed: false }));
      state.current = value;
      if (value === null && !isOwn() && !state.passed) state.cleared = true;
      if (typeof value !== 'function') return;
      state.callback = value;
      if (state.operation === 0 && !isOwn()) begin(this, state);
    },
  });
}

/** `+timer` is the id of an async resource natively, which no two runs share: number the program's timers instead. */
function numberTimers(prototype: object): void {
  const numbered = new Map<number, object>();
  patchMethod(prototype, Symbol.toPrimitive, (toPrimitive) => function (this: object): number {
    const operation = states.get(this)?.operation;
    if (!operation) return apply(toPrimitive, this, []) as number;
    numbered.set(operation, this);
    return operation;
  });
  for (const name of ['clearTimeout', 'clearInterval']) {
    patchMethod(globalThis, name, (clear) => function (this: unknown, timer: unknown): void {
      const known = typeof timer === 'number' || typeof timer === 'string' ? numbered.get(+timer) : undefined;
      if (known) numbered.delete(+(timer as number));
      apply(clear, this, [known ?? timer]);
    });
    patchAlias(process.getBuiltinModule('node:timers'), name);
  }
}

/** A printed timer shows its callback among its own properties, and moments and ids that no two runs share. */
function showTimeouts(prototype: object, session: Session): void {
  patchMethod(prototype, inspect.custom, (native) => function shown(this: object, ...args: unknown[]): unknown {
    const state = states.get(this);
    if (!state) return apply(native, this, args);
    return readValue(session, 'process-value', '["timer"]', shown, () => apply(native, nativeLooking(this, state.current), args) as string);
  });
}

/** A printed immediate shows its neighbours in the runtime's queue too, in which a replay has none. */
function showImmediates(prototype: object, session: Session): void {
  defineProperty(prototype, inspect.custom, {
    configurable: true,
    writable: true,
    enumerable: false,
    value: function shown(this: object, depth: number, options: InspectOptions, print: typeof inspect): unknown {
      const live = (): string => print(immediateView(this, new Map()), { ...options, depth });
      return states.get(this) ? readValue(session, 'process-value', '["immediate"]', shown, live) : live();
    },
  });
}

function immediateView(immediate: object, views: Map<object, object>): object {
  const known = views.get(immediate);
  if (known) return known;
  const view = nativeLooking(immediate, states.get(immediate)?.current as AnyFunction | null, ['_argv', '_onImmediate']);
  views.set(immediate, view);
  // Node formats it by itself.
  defineProperty(view, inspect.custom, { value: undefined });
  for (const name of ['_idleNext', '_idlePrev']) {
    const neighbour = (immediate as Record<string, unknown>)[name];
    if (typeof neighbour === 'object' && neighbour !== null) defineProperty(view, name, { value: immediateView(neighbour, views), enumerable: true });
  }
  return view;
}

/** @param before the own property that natively follows the one with the callback */
function nativeLooking(timer: object, callback: AnyFunction | null, [before, name] = ['_timerArgs', '_onTimeout']): object {
  const view = Object.create(getPrototypeOf(timer) as object) as object;
  for (const key of ownKeys(timer)) {
    if (key === before) defineProperty(view, name as string, { value: callback, writable: true, enumerable: true, configurable: true });
    defineProperty(view, key, getOwnPropertyDescriptor(timer, key) as PropertyDescriptor);
  }
  return view;
}
