/** Reads and writes of stream handles (LibuvStreamWrap and TLSWrap share these methods). */
import { streamBinding } from '../../runtime/bindings.ts';
import { apply, bufferAlloc, bufferConcat, bufferFrom, defineProperty, getOwnPropertyDescriptor } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Deliver, Session } from '../session.ts';
import { breakConnection } from './refused-connections.ts';
import { send, type WriteRequest } from './write-protocol.ts';

export interface StreamState {
  operation: number;
  bytesRead: number;
  bytesWritten: number;
  tapped: boolean;
  /** The program's current read callback. */
  onread: AnyFunction | undefined;
  /** Native code that reads the handle past JavaScript, in place of the read callback: not the end of the stream. */
  consumer: ((bytes: Uint8Array) => void) | undefined;
  /** Where reads go when the program supplied its own buffer. */
  userBuffer: Uint8Array | undefined;
  /** Writes that wait for their completion, by number. */
  readonly writes: Map<number, Deliver>;
  nextWrite: number;
  /** How many calls are under way during which the runtime calls back. */
  driven: number;
  /** Writes complete among other work of native code: TLS tells so when it has sent what it made of them. */
  readonly completesAmid: boolean;
}

export interface StreamHandle {
  onread: AnyFunction | undefined;
  /** Of an IPC channel: what came along with the bytes that are read. */
  pendingHandle?: object | null;
}

const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  writeAsciiString: 'latin1',
  writeLatin1String: 'latin1',
  writeUtf8String: 'utf8',
  writeUcs2String: 'utf16le',
};
/** Native methods that write. */
export const WRITES: readonly string[] = ['writeBuffer', 'writev', ...Object.keys(ENCODINGS)];
const NOTHING = bufferAlloc(0);
const userBuffers = createStash<Uint8Array>();
const states = createStash<StreamState>();
const base = streamBinding();
const state32 = base.streamBaseState;

export function installStreamMethods(prototype: object, session: Session, find: (handle: object) => StreamState | undefined): void {
  patchMethod(prototype, 'readStart', (native) => function (this: StreamHandle): unknown {
    const state = find(this);
    if (!state) return apply(native, this, []);
    tapReads(this, state, session);
    return session.effect(() => apply(native, this, []), 0);
  });
  patchMethod(prototype, 'readStop', (native) => function (this: object): unknown {
    return find(this) ? session.effect(() => apply(native, this, []), 0) : apply(native, this, []);
  });
  patchMethod(prototype, 'useUserBuffer', (native) => function (this: object, buffer: Uint8Array): unknown {
    userBuffers.set(this, buffer);
    const state = find(this);
    if (state) state.userBuffer = buffer;
    return apply(native, this, [buffer]);
  });
  for (const name of WRITES) {
    patchMethod(prototype, name, (native) => function (this: object, request: WriteRequest | null, data: unknown, third?: boolean | object | null): unknown {
      const state = find(this);
      if (!state) return apply(native, this, [request, data, third]);
      // On an IPC channel the third one is a handle that goes along.
      if (typeof third === 'object' && third !== null) return session.uncaptured('a handle sent to another process (IPC)', () => apply(native, this, [request, data, third]));
      const allBuffers = third === true;
      return send(this, state, session, 'write', request, bytesOf(name, data, allBuffers), () => apply(native, this, [request, data, third]));
    });
  }
  patchMethod(prototype, 'shutdown', (native) => function (this: object, request: WriteRequest): unknown {
    const state = find(this);
    if (!state) return apply(native, this, [request]);
    return send(this, state, session, 'shutdown', request, NOTHING, () => apply(native, this, [request]));
  });
}

export function createStreamState(handle: object): StreamState {
  // The buffer may have been set before the handle was connected.
  return { operation: 0, bytesRead: 0, bytesWritten: 0, tapped: false, onread: undefined, consumer: undefined, userBuffer: userBuffers.get(handle), writes: new Map(), nextWrite: 0, driven: 0, completesAmid: false };
}

/** Of a handle that is recorded. */
export const streamOf: (handle: object) => StreamState | undefined = states.get;

/** Figures of a handle. Node's getters cannot be replaced on the prototype, so each recorded handle has its own. */
export function defineReadings(handle: object, prototype: object, state: StreamState, session: Session): void {
  states.set(handle, state);
  for (const name of ['bytesRead', 'bytesWritten'] as const) defineProperty(handle, name, { configurable: true, enumerable: false, get: () => state[name] });
  for (const name of ['fd', 'writeQueueSize']) {
    const native = getOwnPropertyDescriptor(prototype, name)?.get as AnyFunction;
    const get = (): unknown => readValue(session, 'handle-value', `["${name}"]`, get, () => apply(native, handle, []) as number);
    defineProperty(handle, name, { configurable: true, enumerable: false, get });
  }
}

/**
 * Puts a tap before the handle's read callback, once. Node swaps `onread` while a keep-alive socket idles, so an own
 * accessor keeps the program's current one and the runtime keeps calling the tap.
 */
export function tapReads(handle: StreamHandle, state: StreamState, session: Session): void {
  if (!state.tapped && handle.onread) tapReadsAhead(handle, state, session);
}

/** For a handle that reads already before it has its callback. */
export function tapReadsAhead(handle: StreamHandle, state: StreamState, session: Session): void {
  state.tapped = true;
  state.onread = handle.onread;
  handle.onread = function (this: StreamHandle, chunk: ArrayBuffer | undefined): unknown {
    const count = state32[base.kReadBytesOrError] as number;
    if (this.pendingHandle) session.uncapturedArrival('a handle from another process (IPC)', () => {});
    const bytes = count > 0 ? readBytes(state, chunk, count) : NOTHING;
    session.arrived(state.operation, 'read', count, bytes);
    if (count > 0) state.bytesRead += count;
    if (count > 0 && state.consumer) return state.consumer(bytes);
    // Reporting the delivery may itself have used the shared state array.
    state32[base.kReadBytesOrError] = count;
    return apply(state.onread as AnyFunction, this, [chunk]);
  };
  defineProperty(handle, 'onread', {
    configurable: true,
    enumerable: false,
    get: () => state.onread,
    set: (onread: AnyFunction | undefined) => {
      state.onread = onread;
    },
  });
}

function readBytes(state: StreamState, chunk: ArrayBuffer | undefined, count: number): Uint8Array {
  if (chunk) return new Uint8Array(chunk, state32[base.kArrayBufferOffset], count);
  return state.userBuffer ? state.userBuffer.subarray(0, count) : NOTHING;
}

/** Replay: the handle reads what the log says. */
export function deliverRead(handle: object, state: StreamState, status: number, data: Buffer): void | false {
  if (!state.onread) return false;
  if (status < 0 && data.length > 0) return breakConnection(handle, data.toString());
  state32[base.kReadBytesOrError] = status;
  state32[base.kArrayBufferOffset] = 0;
  let chunk: ArrayBuffer | undefined;
  if (status > 0) {
    state.bytesRead += status;
    if (state.consumer) return state.consumer(data);
    if (state.userBuffer) state.userBuffer.set(data);
    else chunk = data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer;
  }
  apply(state.onread, handle, [chunk]);
}

/** The bytes that a native write method takes, whatever its form. */
function bytesOf(method: string, data: unknown, allBuffers: boolean | undefined): Buffer {
  if (method === 'writeBuffer') return view(data as Uint8Array);
  if (method !== 'writev') return bufferFrom(data as string, ENCODINGS[method]);
  const chunks = data as unknown[];
  if (allBuffers) return bufferConcat(chunks as Uint8Array[]);
  const parts: Buffer[] = [];
  for (let i = 0; i < chunks.length; i += 2) {
    const chunk = chunks[i];
    parts.push(typeof chunk === 'string' ? bufferFrom(chunk, chunks[i + 1] as BufferEncoding) : view(chunk as Uint8Array));
  }
  return bufferConcat(parts);
}

function view(bytes: Uint8Array): Buffer {
  return bufferFrom(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
