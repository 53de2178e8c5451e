/** UDP sockets, at the handle below node:dgram: datagrams that come are deliveries, those that leave are outputs; in replay no port is taken. */
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferAlloc, bufferConcat, bufferFrom, defineProperty, getOwnPropertyDescriptor, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import { defineTap } from './taps.ts';

interface UdpState {
  operation: number;
  closed: boolean;
  /** What the program has set as `onmessage` and `onerror`. */
  readonly callbacks: Map<string, AnyFunction>;
}

interface SendRequest {
  oncomplete?: AnyFunction;
}

/** Their positions stand in the journal: append only. */
const CALLBACKS = ['onmessage', 'onerror'];
/** Answered at once, and by the world. */
const CALLS = [
  'bind', 'bind6', 'connect', 'connect6', 'disconnect', 'addMembership', 'dropMembership', 'addSourceSpecificMembership', 'dropSourceSpecificMembership',
  'setMulticastInterface', 'setMulticastTTL', 'setMulticastLoopback', 'setBroadcast', 'setTTL', 'getSendQueueSize', 'getSendQueueCount',
];
/** Fill in an object that they are given. */
const FILLING: Readonly<Record<string, number>> = { getsockname: 0, getpeername: 0, bufferSize: 2 };

const callComplete = calledAs('oncomplete');

export function installUdp(session: Session): void {
  session.owns('UDPWRAP', 'UDPSENDWRAP');
  const prototype = (binding('udp_wrap')['UDP'] as { prototype: object }).prototype;
  const states = createStash<UdpState>();
  const stateOf = (handle: object): UdpState => states.get(handle) ?? own(handle, prototype, session, states.set);

  for (const name of CALLS) {
    patchMethod(prototype, name, (native) => function call(this: object, ...args: unknown[]): unknown {
      stateOf(this);
      return readValue(session, 'handle-value', jsonStringify([`udp.${name}`, ...args]), call, () => apply(native, this, args));
    });
  }
  for (const [name, position] of Object.entries(FILLING)) {
    patchMethod(prototype, name, (native) => function fill(this: object, ...args: unknown[]): unknown {
      stateOf(this);
      const out = args[position] as object;
      const key = jsonStringify([`udp.${name}`, ...args.slice(0, position)]);
      const [result, filled] = readValue(session, 'handle-value', key, fill, () => [apply(native, this, args), { ...out }] as const);
      Object.assign(out, filled);
      return result;
    });
  }
  for (const name of ['recvStart', 'recvStop']) {
    patchMethod(prototype, name, (native) => function (this: object): unknown {
      stateOf(this);
      return session.effect(() => apply(native, this, []), 0);
    });
  }
  for (const name of ['send', 'send6']) {
    patchMethod(prototype, name, (native) => function (this: object, request: SendRequest, ...args: unknown[]): unknown {
      return send(stateOf(this), session, request, args, () => apply(native, this, [request, ...args]) as number);
    });
  }
  patchMethod(prototype, 'open', (native) => function (this: object, fd: number): unknown {
    return session.uncaptured(`a UDP socket on file descriptor ${fd}`, () => apply(native, this, [fd]));
  });
}

function own(handle: object, prototype: object, session: Session, remember: (handle: object, state: UdpState) => void): UdpState {
  const state: UdpState = { operation: 0, closed: false, callbacks: new Map() };
  remember(handle, state);
  for (const name of CALLBACKS) tapCallback(handle, state, name, session);
  const native = getOwnPropertyDescriptor(prototype, 'fd')?.get;
  const get = (): unknown => readValue(session, 'handle-value', '["udp.fd"]', get, () => (native ? apply(native, handle, []) : -1));
  defineProperty(handle, 'fd', { configurable: true, enumerable: false, get });
  state.operation = session.operation('udp', '[]', (_, status, data) => {
    const { result, bytes } = decodeOutcome(data) as { result: unknown[]; bytes?: Uint8Array };
    const callback = state.callbacks.get(CALLBACKS[result[0] as number] as string);
    if (!callback) return false;
    return void apply(callback, handle, [status, handle, ...shown(result.slice(1), bytes)]);
  });
  return state;
}

/** The runtime looks these callbacks up by name: an own accessor keeps the program's and hands out the tap. */
function tapCallback(handle: object, state: UdpState, name: string, session: Session): void {
  const before = getOwnPropertyDescriptor(handle, name)?.value as AnyFunction | undefined;
  if (before) state.callbacks.set(name, before);
  const tap = function (this: object, status: number, self: object, ...args: unknown[]): unknown {
    session.arrived(state.operation, 'read', status, outcomeOf(CALLBACKS.indexOf(name), args));
    return apply(state.callbacks.get(name) as AnyFunction, this, [status, self, ...args]);
  };
  defineTap(handle, name, name, state.callbacks, tap);
}

/** Bytes and sender of a datagram, or an error. */
function outcomeOf(callback: number, [first, ...rest]: unknown[]): Buffer {
  return first instanceof Uint8Array ? encodeOutcome({ result: [callback, ...rest], bytes: first }) : encodeOutcome({ result: [callback, first, ...rest] });
}

function shown(rest: unknown[], bytes: Uint8Array | undefined): unknown[] {
  // The program gets a buffer of its own, as it does from the runtime.
  return bytes ? [bufferFrom(bytes), ...rest] : rest;
}

/** @returns what the native method returns: bytes + 1 when the datagram has left, 0 when a completion will tell, or an error */
function send({ operation }: UdpState, session: Session, request: SendRequest, args: unknown[], live: () => number): number {
  const [list, , ...rest] = args as [Uint8Array[], number, ...unknown[]];
  const complete = request.oncomplete;
  const [port, address] = rest.length > 1 ? rest : [null, null];
  const datagram = session.operation('datagram', jsonStringify([operation, address, port]), (_, status, data) => {
    session.retire(datagram);
    if (!complete) return false;
    return void callComplete(complete, request, [status, data.readUInt32LE(0)]);
  });
  if (complete) {
    request.oncomplete = function (this: object, status: number, sent: number): unknown {
      const taken = bufferAlloc(4);
      taken.writeUInt32LE(sent, 0);
      session.arrived(datagram, 'written', status, taken);
      return callComplete(complete, this, [status, sent]);
    };
  }
  const bytes = list.length === 1 ? (list[0] as Uint8Array) : bufferConcat(list);
  const result = session.send(datagram, 'write', bytes, () => {
    const code = live();
    return code > 0 ? { code: 0, bytes: code - 1, async: 0 } : { code, bytes: 0, async: code === 0 ? 1 : 0 };
  });
  if (result.code === 0 && result.async !== 0) return 0;
  session.retire(datagram);
  return result.code === 0 ? result.bytes + 1 : result.code;
}
