/**
 * How Node's stream code and its handles agree on a write, per version.
 *
 * Node 20 and 22 pass a request object and get an error code; the state array says whether a completion follows.
 * Node 24 and 26 pass null and get a number (done, or failed) or, when a completion follows, a fresh request object.
 * `shutdown` passes a request everywhere, and so does an IPC channel, which learns only from the state array whether a
 * completion follows, and puts its callback on the request then.
 */
import { streamBinding } from '../../runtime/bindings.ts';
import { apply, bufferAlloc, bufferConcat, bufferFrom, defineProperty } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs } from '../../runtime/patches.ts';
import type { Session, WriteResult } from '../session.ts';
import { toldAsDriven, WRITTEN } from './driven.ts';
import type { StreamState } from './streams.ts';

export interface WriteRequest {
  oncomplete?: AnyFunction;
  /** Why it failed, in the words of OpenSSL: set by the runtime before the completion. */
  error?: unknown;
}

const NUMBER_BYTES = 4;
const NOTHING = bufferAlloc(0);
const callComplete = calledAs('oncomplete');
const base = streamBinding();
const state32 = base.streamBaseState;

export function send(handle: object, state: StreamState, session: Session, kind: 'write' | 'shutdown', request: WriteRequest | null | undefined, bytes: Buffer, live: () => unknown): unknown {
  const number = state.nextWrite++;
  if (!request) return sendAndGetRequest(state, session, number, bytes, live);
  const complete = request.oncomplete;
  if (complete) {
    state.writes.set(number, session.inContext((_, status, data) => {
      tellReason(request, data);
      callComplete(complete, request, [status, handle, undefined]);
    }));
    request.oncomplete = tap(state, session, number, complete);
  }
  const result = session.send(state.operation, kind, bytes, () => {
    const code = live() as number;
    return kind === 'shutdown' ? { code, bytes: 0, async: 0 } : { code, bytes: state32[base.kBytesWritten] as number, async: state32[base.kLastWriteWasAsync] as number };
  }, state.writes.get(number));
  if (kind === 'write') {
    publish(state, result);
    state32[base.kLastWriteWasAsync] = result.async;
    if (result.code !== 0 || result.async === 0) state.writes.delete(number);
    else if (!complete) completeLater(request, state, session, number);
  }
  return result.code;
}

/**
 * Writes to a handle as Node's stream code does.
 * @param done is called with the outcome, at once where the write completes at once
 * @returns status; unless it is 0 nothing was written, and `done` is not called
 */
export function writeBuffers(handle: object, buffers: readonly Uint8Array[], done: (status: number) => void): number {
  const writev = (handle as Record<string, AnyFunction>)['writev'] as AnyFunction;
  const request = base.kLastWriteErr === undefined ? (new base.WriteWrap() as WriteRequest) : null;
  if (request) request.oncomplete = done;
  const returned = apply(writev, handle, [request, buffers, true]) as number | WriteRequest;
  if (typeof returned !== 'number') {
    const code = state32[base.kLastWriteErr as number] as number;
    if (code === 0) returned.oncomplete = done;
    return code;
  }
  if (returned === 0 && (request === null || state32[base.kLastWriteWasAsync] === 0)) done(0);
  return returned;
}

function sendAndGetRequest(state: StreamState, session: Session, number: number, bytes: Buffer, live: () => unknown): unknown {
  let request: WriteRequest | undefined;
  const result = session.send(state.operation, 'write', bytes, () => {
    const returned = live();
    const taken = state32[base.kBytesWritten] as number;
    if (typeof returned === 'number') return { code: returned, bytes: taken, async: 0 };
    request = returned as WriteRequest;
    return { code: state32[base.kLastWriteErr as number] as number, bytes: taken, async: 1 };
  });
  publish(state, result);
  if (result.async === 0) return result.code;
  state32[base.kLastWriteErr as number] = result.code;
  // In replay there is no native request: the stream code needs no more of one than its properties.
  const shown: WriteRequest = request ?? ({ writeStatus: null, error: undefined } as WriteRequest);
  completeLater(shown, state, session, number);
  return shown;
}

/** The callback is put on the request when the write is under way. */
function completeLater(request: WriteRequest, state: StreamState, session: Session, number: number): void {
  let complete: AnyFunction | undefined;
  let tapped: AnyFunction | undefined;
  defineProperty(request, 'oncomplete', {
    configurable: true,
    enumerable: true,
    get: () => tapped,
    set: (callback: AnyFunction) => {
      complete = callback;
      tapped = tap(state, session, number, callback);
    },
  });
  state.writes.set(number, session.inContext((_, status, data) => {
    tellReason(request, data);
    callComplete(complete as AnyFunction, request, [status]);
  }));
}

/** The runtime calls this when a write is done. */
function tap(state: StreamState, session: Session, number: number, complete: AnyFunction): AnyFunction {
  return function (this: WriteRequest, status: number, ...rest: unknown[]): void {
    state.writes.delete(number);
    const which = bufferAlloc(4);
    which.writeUInt32LE(number, 0);
    const reason = typeof this.error === 'string' ? bufferFrom(this.error) : NOTHING;
    const told = reason.length > 0 ? bufferConcat([which, reason]) : which;
    const run = (): void => void callComplete(complete, this, [status, ...rest]);
    if (toldAsDriven(state, session, WRITTEN, () => bufferConcat([which, int32(status), reason]))) return run();
    if (state.completesAmid) return session.arrivedAmid(state.operation, 'written', status, told, run);
    session.arrived(state.operation, 'written', status, told);
    run();
  };
}

/** @param data number of the write, and why it failed */
function tellReason(request: WriteRequest, data: Buffer): void {
  if (data.length > NUMBER_BYTES) request.error = data.toString('utf8', NUMBER_BYTES);
}

function publish(state: StreamState, result: WriteResult): void {
  state32[base.kBytesWritten] = result.bytes;
  state.bytesWritten += result.bytes;
}

function int32(value: number): Buffer {
  const bytes = bufferAlloc(4);
  bytes.writeInt32LE(value, 0);
  return bytes;
}

/** Shows the program a recorded completion that {@link toldAsDriven} told. */
export function completeDriven(state: StreamState, data: Uint8Array): void {
  const told = bufferConcat([data]);
  const number = told.readUInt32LE(0);
  const write = state.writes.get(number);
  state.writes.delete(number);
  write?.('written', told.readInt32LE(NUMBER_BYTES), bufferConcat([told.subarray(0, NUMBER_BYTES), told.subarray(2 * NUMBER_BYTES)]));
}
