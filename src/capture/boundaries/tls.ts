/**
 * TLS clients, at the plaintext side of TLSWrap: the handshake and the records below it are the recorded run's own
 * business; in replay the object is real, but its engine is never started.
 */
import type { Kind } from '../../model/event.ts';
import { decodeArguments, encodeArguments } from '../../model/value.ts';
import { binding, handlePrototypes } from '../../runtime/bindings.ts';
import { apply, defineProperty, isPrototypeOf, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles } from './handles.ts';
import { createStreamState, defineReadings, deliverRead, installStreamMethods, WRITES, type StreamHandle, type StreamState, tapReads } from './streams.ts';

interface TlsState extends StreamState {
  /** The transport below; it may connect only after it was wrapped. */
  readonly transport: object;
  servername: string;
  readonly callbacks: Map<string, AnyFunction>;
}

/** Their positions stand in the journal: append only. */
const CALLBACKS = ['onhandshakedone', 'onnewsession', 'onkeylog', 'onerror', 'onocspresponse'];
const READINGS = [
  'verifyError', 'getPeerCertificate', 'getCertificate', 'getALPNNegotiatedProtocol', 'getCipher', 'getProtocol', 'getSession', 'getEphemeralKeyInfo',
  'isSessionReused', 'getFinished', 'getPeerFinished', 'getTLSTicket', 'getSharedSigalgs', 'exportKeyingMaterial', 'getServername',
];
/** What makes a client's engine speak. */
const ENGINE_STARTS = ['start', 'receive', 'shutdown', ...WRITES];

export function installTls(session: Session, handles: Handles): void {
  const states = createStash<TlsState>();
  /** TLS over a stream of the program's own, and the handle of that stream. */
  const overJavaScript = createStash<true>();
  const { tls: prototype, tcp, pipe } = handlePrototypes();
  patchMethod(binding('tls_wrap'), 'wrap', (native) => function (this: object, handle: object, context: object, isServer: boolean, ...rest: unknown[]): object {
    const wrapped = (): object => apply(native, this, [handle, context, isServer, ...rest]) as object;
    if (isServer) return wrapped();
    const tls = wrapped();
    if (!isPrototypeOf(tcp, handle) && !isPrototypeOf(pipe, handle)) {
      for (const side of [tls, handle]) overJavaScript.set(side, true);
      return tls;
    }
    const state: TlsState = { ...createStreamState(tls), transport: handle, servername: '', callbacks: new Map() };
    states.set(tls, state);
    defineReadings(tls, prototype, state, session);
    for (const name of CALLBACKS) tapCallback(tls, state, name, session);
    return tls;
  });
  patchMethod(prototype, 'setServername', (native) => function (this: object, name: string): unknown {
    const state = states.get(this);
    if (state) state.servername = name;
    return apply(native, this, [name]);
  });
  patchMethod(prototype, 'start', (native) => function (this: StreamHandle): unknown {
    const state = states.get(this);
    if (!state) return apply(native, this, []);
    begin(this, state, session, handles);
    // On a transport that reads already, nobody calls readStart any more.
    tapReads(this, state, session);
    return session.effect(() => apply(native, this, []), undefined);
  });
  for (const name of READINGS) {
    patchMethod(prototype, name, (native) => function reading(this: object, ...args: unknown[]): unknown {
      if (!states.get(this)) return apply(native, this, args);
      return readHandle(session, `["tls.${name}"]`, reading, () => apply(native, this, args));
    });
  }
  for (const name of ['getPeerX509Certificate', 'getX509Certificate']) {
    patchMethod(prototype, name, (native) => function (this: object, ...args: unknown[]): unknown {
      return states.get(this) ? session.uncaptured(`tls.${name}`, () => apply(native, this, args)) : apply(native, this, args);
    });
  }
  installStreamMethods(prototype, session, (handle) => {
    const state = states.get(handle);
    if (state && state.operation === 0) begin(handle, state, session, handles);
    return state;
  });
  // Such an object is harmless until its engine starts; some packages make one only to look at it.
  for (const [owner, names] of [[prototype, ENGINE_STARTS], [(binding('js_stream')['JSStream'] as { prototype: object }).prototype, ['readBuffer']]] as const) {
    for (const name of names) {
      patchMethod(owner, name, (native) => function (this: object, ...args: unknown[]): unknown {
        return overJavaScript.get(this) ? session.uncaptured('TLS over a JavaScript stream', () => apply(native, this, args)) : apply(native, this, args);
      });
    }
  }
}

function begin(handle: object, state: TlsState, session: Session, handles: Handles): void {
  if (state.operation !== 0) return;
  // Marked first: starting the operation may look at this very state.
  state.operation = -1;
  const key = jsonStringify({ tcp: handles.operationOf(state.transport) ?? 0, servername: state.servername });
  state.operation = session.operation('tls', key, (what, status, data) => deliver(handle, state, what, status, data));
}

function deliver(handle: object, state: TlsState, what: Kind, status: number, data: Buffer): void | false {
  if (what === 'read') return deliverRead(handle, state, status, data);
  if (what === 'written') {
    const number = data.readUInt32LE(0);
    const write = state.writes.get(number);
    state.writes.delete(number);
    return write ? write(what, status, data) : false;
  }
  const callback = state.callbacks.get(CALLBACKS[status] as string);
  if (what !== 'handshake' || !callback) return false;
  apply(callback, handle, decodeArguments(data));
}

/** The runtime looks these callbacks up by name: an own accessor keeps the program's and hands out the tap. */
function tapCallback(handle: object, state: TlsState, name: string, session: Session): void {
  const tap = function (this: object, ...args: unknown[]): unknown {
    session.arrived(state.operation, 'handshake', CALLBACKS.indexOf(name), encodeArguments(args));
    return apply(state.callbacks.get(name) as AnyFunction, this, args);
  };
  defineProperty(handle, name, {
    configurable: true,
    enumerable: true,
    get: () => (state.callbacks.has(name) ? tap : undefined),
    set: (callback: AnyFunction | undefined) => {
      if (callback) state.callbacks.set(name, callback);
      else state.callbacks.delete(name);
    },
  });
}

/** An error is an ordinary result here (`verifyError`). */
function readHandle(session: Session, key: string, below: AnyFunction, live: () => unknown): unknown {
  const recorded = readValue(session, 'handle-value', key, below, () => encodeArguments([live()]));
  return decodeArguments(recorded)[0];
}
