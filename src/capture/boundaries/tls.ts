/**
 * TLS, at the plaintext side of TLSWrap: the handshake and the records below it are the recorded run's own business; in
 * replay the object is real, but its engine is never started.
 */
import type { Kind } from '../../model/event.ts';
import { decodeArguments, encodeArguments } from '../../model/value.ts';
import { binding, handlePrototypes } from '../../runtime/bindings.ts';
import { ownerOf } from '../../runtime/handle-owner.ts';
import { apply, isPrototypeOf, jsonStringify, ownKeys } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles } from './handles.ts';
import { drive, toldAsDriven, WRITTEN } from './driven.ts';
import { createStreamState, defineReadings, deliverRead, installStreamMethods, WRITES, type StreamHandle, type StreamState, tapReads, tapReadsAhead } from './streams.ts';
import { completeDriven } from './write-protocol.ts';
import { readCertificate } from './x509.ts';
import { defineTap } from './taps.ts';

interface TlsState extends StreamState {
  /** The transport below; it may connect only after it was wrapped. */
  readonly transport: object;
  readonly isServer: boolean;
  servername: string;
  readonly callbacks: Map<PropertyKey, AnyFunction>;
}

export interface Tls {
  /** State of a TLS connection that the harness records; undefined for all others. */
  find(handle: object): StreamState | undefined;
}

/** Their positions stand in the journal: append only. */
const CALLBACKS = ['onhandshakedone', 'onnewsession', 'onkeylog', 'onerror', 'onocspresponse'];
/** Those of servers; positions behind the others. A symbol names the last. */
const SERVER_CALLBACKS = ['onhandshakestart', 'oncertcb', 'onclienthello', 'ALPNCallback', 'onpskexchange'];
const ALL_CALLBACKS = [...CALLBACKS, ...SERVER_CALLBACKS];
/** What moves a server's engine on: its callbacks may come while the call is under way. */
const SERVER_DRIVES = ['certCbDone', 'endParser', 'clientHelloDone', 'newSessionDone', 'renegotiate'];
const READINGS = [
  'verifyError', 'getPeerCertificate', 'getCertificate', 'getALPNNegotiatedProtocol', 'getCipher', 'getProtocol', 'getSession', 'getEphemeralKeyInfo',
  'isSessionReused', 'getFinished', 'getPeerFinished', 'getTLSTicket', 'getSharedSigalgs', 'exportKeyingMaterial', 'getServername', 'hasPeerCertificate',
];
/** What makes an engine speak. */
const ENGINE_STARTS = ['start', 'receive', 'shutdown', ...WRITES];

export function installTls(session: Session, handles: Handles): Tls {
  session.owns('TLSWRAP');
  const states = createStash<TlsState>();
  /** TLS over a stream of the program's own, and the handle of that stream. */
  const overJavaScript = createStash<true>();
  const { tls: prototype, tcp, pipe } = handlePrototypes();
  patchMethod(binding('tls_wrap'), 'wrap', (native) => function (this: object, handle: object, context: object, isServer: boolean, ...rest: unknown[]): object {
    const tls = apply(native, this, [handle, context, isServer, ...rest]) as object;
    if (!isPrototypeOf(tcp, handle) && !isPrototypeOf(pipe, handle)) {
      for (const side of [tls, handle]) overJavaScript.set(side, true);
      return tls;
    }
    const state: TlsState = { ...createStreamState(tls), completesAmid: true, transport: handle, isServer, servername: '', callbacks: new Map() };
    states.set(tls, state);
    defineReadings(tls, prototype, state, session);
    for (const name of isServer ? ALL_CALLBACKS : CALLBACKS) tapCallback(tls, state, name, session);
    // Nobody starts a server's engine: it is on top of a transport that reads.
    if (isServer) {
      begin(tls, state, session, handles);
      tapReadsAhead(tls as StreamHandle, state, session);
    }
    return tls;
  });
  patchMethod(prototype, 'setServername', (native) => function (this: object, name: string): unknown {
    const state = states.get(this);
    if (state) state.servername = name;
    return apply(native, this, [name]);
  });
  const driven = (handle: object, state: TlsState, live: () => unknown): unknown => drive(state, session, live, (which, data) => {
    if (which === WRITTEN) completeDriven(state, data);
    else apply(state.callbacks.get(ALL_CALLBACKS[which] as string) as AnyFunction, handle, callbackArguments(handle, state, data));
  });
  patchMethod(prototype, 'start', (native) => function (this: StreamHandle): unknown {
    const state = states.get(this);
    if (!state) return apply(native, this, []);
    begin(this, state, session, handles);
    // On a transport that reads already, nobody calls readStart any more.
    tapReads(this, state, session);
    const live = (): unknown => apply(native, this, []);
    return state.isServer ? driven(this, state, live) : session.effect(live, undefined);
  });
  for (const name of [...SERVER_DRIVES, 'destroySSL']) {
    patchMethod(prototype, name, (native) => function (this: object, ...args: unknown[]): unknown {
      const state = states.get(this);
      const drives = name === 'destroySSL' ? state && state.writes.size > 0 : state?.isServer;
      return state && drives ? driven(this, state, () => apply(native, this, args)) : apply(native, this, args);
    });
  }
  // From Node 24 on, several handshakes may go on within one native call once the program was asked for their sessions.
  patchMethod(prototype, 'enableSessionCallbacks', (native) => function (this: object): unknown {
    if (states.get(this)?.isServer) session.watchTurns();
    return apply(native, this, []);
  });
  patchMethod(prototype, 'enablePskCallback', (native) => function (this: object): unknown {
    const state = states.get(this);
    const name = ownKeys(this).find((key) => typeof key === 'symbol' && key.description === 'onpskexchange');
    if (state?.isServer && name) {
      const callback = (this as Record<PropertyKey, AnyFunction>)[name] as AnyFunction;
      tapCallback(this, state, name, session);
      (this as Record<PropertyKey, AnyFunction>)[name] = callback;
    }
    return apply(native, this, []);
  });
  for (const name of READINGS) {
    patchMethod(prototype, name, (native) => function reading(this: object, ...args: unknown[]): unknown {
      if (!states.get(this)) return apply(native, this, args);
      return readHandle(session, `["tls.${name}"]`, reading, () => apply(native, this, args));
    });
  }
  for (const name of ['getPeerX509Certificate', 'getX509Certificate']) {
    patchMethod(prototype, name, (native) => function reading(this: object, ...args: unknown[]): unknown {
      const live = (): unknown => apply(native, this, args);
      return states.get(this) ? readCertificate(session, `["tls.${name}"]`, reading, live) : live();
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
  return { find: states.get };
}

function begin(handle: object, state: TlsState, session: Session, handles: Handles): void {
  if (state.operation !== 0) return;
  // Marked first: starting the operation may look at this very state.
  state.operation = -1;
  const tcp = handles.operationOf(state.transport) ?? 0;
  const key = jsonStringify(state.isServer ? { tcp, server: true } : { tcp, servername: state.servername });
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
  const callback = state.callbacks.get(ALL_CALLBACKS[status] as string);
  if (what !== 'handshake' || !callback) return false;
  apply(callback, handle, callbackArguments(handle, state, data));
}

/** A server's engine writes the name that the client asks for on the socket, past every callback. */
interface Owner {
  servername?: unknown;
}

function tellArguments(handle: object, state: TlsState, args: readonly unknown[]): Buffer {
  if (!state.isServer) return encodeArguments(args);
  const name = ownerOf<Owner>(handle)?.servername;
  return encodeArguments([typeof name === 'string' ? name : null, ...args]);
}

function callbackArguments(handle: object, state: TlsState, data: Uint8Array): unknown[] {
  const told = decodeArguments(data);
  if (!state.isServer) return told;
  const [name, ...args] = told;
  const owner = ownerOf<Owner>(handle);
  if (owner && name !== null) owner.servername = name;
  return args;
}

/** The runtime looks these callbacks up by name: an own accessor keeps the program's and hands out the tap. */
function tapCallback(handle: object, state: TlsState, key: PropertyKey, session: Session): void {
  const name = typeof key === 'symbol' ? (key.description as string) : (key as string);
  const which = ALL_CALLBACKS.indexOf(name);
  const tap = function (this: object, ...args: unknown[]): unknown {
    const data = tellArguments(handle, state, args);
    if (toldAsDriven(state, session, which, () => data)) return apply(state.callbacks.get(name) as AnyFunction, this, args);
    session.arrived(state.operation, 'handshake', which, data);
    return apply(state.callbacks.get(name) as AnyFunction, this, args);
  };
  defineTap(handle, key, name, state.callbacks, tap);
}

/** An error is an ordinary result here (`verifyError`). */
function readHandle(session: Session, key: string, below: AnyFunction, live: () => unknown): unknown {
  const recorded = readValue(session, 'handle-value', key, below, () => encodeArguments([live()]));
  return decodeArguments(recorded)[0];
}
