/**
 * HTTP/2 sessions. nghttp2 takes over a socket's handle, where nobody would see its bytes: it is given a stream of ours
 * instead, and that one reads and writes the recorded handle. So nghttp2 and all of node:http2 run for real in both modes.
 */
import { promisify } from 'node:util';
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferAlloc, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hrtimeBigint } from '../../runtime/natives.ts';
import { currentDate } from '../../runtime/http-date.ts';
import { asOwn } from '../../runtime/own.ts';
import { CallsAmid } from '../../runtime/calls-amid.ts';
import { type AnyFunction, disguise, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import { streamOf, type StreamState } from './streams.ts';
import { writeBuffers } from './write-protocol.ts';

interface JsStream {
  onread: AnyFunction;
  onreadstart: () => number;
  onreadstop: () => number;
  onwrite: (request: object, buffers: Uint8Array[]) => number;
  isClosing: () => boolean;
  readBuffer(bytes: Uint8Array): void;
  finishWrite(request: object, status: number): void;
}

interface ReadableHandle {
  readStart(): number;
  readStop(): number;
}

type Http2 = typeof import('node:http2');

/** As node:http2 gives them to native code: text, and how many there are in it. */
const NO_HEADERS = ['', 0];
const DATE = /(?:^|\0.?)date\0/i;
/** What makes sessions. */
const ENTRIES = ['connect', 'createServer', 'createSecureServer', 'performServerHandshake'];

export function installHttp2(session: Session): void {
  session.owns('HTTP2SESSION', 'HTTP2STREAM', 'HTTP2PING', 'HTTP2SETTINGS');
  const http2 = process.getBuiltinModule('node:http2');
  let isReady = false;
  const makeReady = (): void => {
    if (isReady) return;
    isReady = true;
    patchNatives(asOwn(() => nativePrototypes(http2)), session);
  };
  for (const name of ENTRIES) patchMethod(http2, name, (native) => readied(native, makeReady));
}

function readied(native: AnyFunction, makeReady: () => void): AnyFunction {
  const entry = function (this: unknown, ...args: unknown[]): unknown {
    makeReady();
    return apply(native, this, args);
  };
  const promisified = getOwnPropertyDescriptor(native, promisify.custom);
  if (typeof promisified?.value === 'function') defineProperty(entry, promisify.custom, { ...promisified, value: disguise(readied(promisified.value as AnyFunction, makeReady), promisified.value as AnyFunction) });
  return entry;
}

interface NativePrototypes {
  readonly session: object;
  readonly stream: object;
  /** Under which handles keep the object of node:http2 that they belong to. */
  readonly owner: symbol;
}

/** Their binding is not given out: a session on a stream that leads nowhere shows what it is made of. */
function nativePrototypes(http2: Http2): NativePrototypes {
  const { Duplex } = process.getBuiltinModule('node:stream');
  // It never says that a write is done, so nothing comes after it.
  const nowhere = new Duplex({ read: () => {}, write: () => {} });
  const client = http2.connect('http://localhost', { createConnection: () => nowhere });
  const key = Object.getOwnPropertySymbols(client).find((symbol) => symbol.description === 'kHandle') as symbol;
  const handle = (client as unknown as Record<symbol, object>)[key] as { request(...args: unknown[]): object };
  const stream = handle.request(NO_HEADERS, 0, 0, 16, false);
  const owner = Object.getOwnPropertySymbols(handle).find((symbol) => symbol.description === 'owner_symbol') as symbol;
  return { session: getPrototypeOf(handle) as object, stream: getPrototypeOf(stream) as object, owner };
}

function patchNatives(prototypes: NativePrototypes, session: Session): void {
  const bridges = createStash<JsStream>();
  const calls = new CallsAmid();
  for (const prototype of [prototypes.session, prototypes.stream]) tellCalls(prototype, prototypes.owner, calls);
  dateAnswers(prototypes, session);
  patchMethod(prototypes.session, 'consume', (native) => function (this: object, handle: object): unknown {
    session.watchTurns();
    const state = streamOf(handle);
    if (!state) return apply(native, this, [handle]);
    const bridge = bridgeTo(handle as ReadableHandle, state, calls);
    bridges.set(this, bridge);
    return apply(native, this, [bridge]);
  });
  // The runtime tells how long the other side took to acknowledge.
  patchMethod(prototypes.session, 'settings', (native) => function (this: object, callback: AnyFunction): unknown {
    return apply(native, this, [acknowledged(callback, 'settings', session)]);
  });
  patchMethod(prototypes.session, 'ping', (native) => function ping(this: object, payload: Uint8Array | undefined, callback: AnyFunction): unknown {
    // Where there is no payload the runtime sends the moment.
    const sent = payload ?? readValue(session, 'handle-value', '["http2.ping"]', ping, now);
    return apply(native, this, [sent, acknowledged(callback, 'ping', session)]);
  });
}

/** A server dates its answers by the text that node:http keeps. */
function dateAnswers({ stream, owner }: NativePrototypes, session: Session): void {
  // Before the runtime asks for that text itself: it would begin a timer of the program's.
  const dated = createStash<true>();
  const { set } = getOwnPropertyDescriptor(stream, owner) as { set: AnyFunction };
  defineProperty(stream, owner, { ...getOwnPropertyDescriptor(stream, owner), set(this: object, value: object) {
    const prototype = getPrototypeOf(value) as object;
    if (!dated.get(prototype)) {
      dated.set(prototype, true);
      for (const name of ['respond', 'respondWithFD', 'respondWithFile']) {
        patchMethod(prototype, name, (native) => function (this: object, ...args: unknown[]): unknown {
          currentDate();
          return apply(native, this, args);
        });
      }
    }
    apply(set, this, [value]);
  } });
  patchMethod(stream, 'respond', (native) => function respond(this: object, ...[headers, ...rest]: [readonly [string, number], ...unknown[]]): unknown {
    const now = currentDate();
    if (!DATE.test(headers[0])) return apply(native, this, [headers, ...rest]);
    const date = readValue(session, 'handle-value', '["http2.date"]', respond, () => now);
    return apply(native, this, [[headers[0].replace(`date\0${now}\0`, () => `date\0${date}\0`), headers[1]], ...rest]);
  });
}

function now(): Uint8Array {
  const bytes = bufferAlloc(8);
  bytes.writeBigUInt64LE(hrtimeBigint(), 0);
  return bytes;
}

function acknowledged(callback: AnyFunction, name: string, session: Session): AnyFunction {
  return function acknowledge(this: unknown, ack: boolean, duration: number, ...rest: unknown[]): unknown {
    const recorded = readValue(session, 'handle-value', `["http2.${name}"]`, acknowledge, () => duration);
    return apply(callback, this, [ack, recorded, ...rest]);
  };
}

/** Each function that nghttp2 calls asks first whose handle it was called on. */
function tellCalls(prototype: object, owner: symbol, calls: CallsAmid): void {
  const owners = createStash<unknown>();
  defineProperty(prototype, owner, {
    configurable: true,
    get(this: object) {
      calls.begins();
      return owners.get(this);
    },
    set(this: object, value: unknown) {
      owners.set(this, value);
    },
  });
}

function bridgeTo(handle: ReadableHandle, state: StreamState, calls: CallsAmid): JsStream {
  const { JSStream } = binding('js_stream') as { JSStream: new () => JsStream };
  const bridge = new JSStream();
  bridge.onreadstart = () => handle.readStart();
  bridge.onreadstop = () => handle.readStop();
  bridge.onwrite = (request, buffers) => writeBuffers(handle, buffers, (status) => calls.during(() => bridge.finishWrite(request, status)));
  bridge.isClosing = () => false;
  // A session that is gone no longer reads: then the socket does.
  bridge.onread = function (this: object, ...args: unknown[]): unknown {
    return apply(state.onread as AnyFunction, handle, args);
  };
  state.consumer = (bytes) => calls.during(() => bridge.readBuffer(bytes));
  return bridge;
}
