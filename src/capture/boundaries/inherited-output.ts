/**
 * What a child prints straight to a standard stream of the program (`stdio: 'inherit'`). Where that is no terminal, the child
 * gets a pipe in its place, and what comes out of it goes on to the stream and into the journal. It is in the stream before
 * anything that the program prints because of it: whatever lies in the pipes goes on first. A child that was given
 * a terminal keeps it: anything else would show.
 */
import { binding } from '../../runtime/bindings.ts';
import { AsyncResource, bufferAlloc, bufferFrom, dateNow, isatty, nativeFs } from '../../runtime/natives.ts';
import { ownTimeout } from '../../runtime/own.ts';
import type { StdioEntry } from '../../runtime/spawn-protocol.ts';
import type { Session } from '../session.ts';

interface NativePipe {
  onread: (this: unknown, chunk: ArrayBuffer | undefined) => void;
  readonly fd: number;
  readStart(): number;
  readStop(): number;
  unref(): void;
  close(): void;
}

interface Relay {
  readonly pipe: NativePipe;
  readonly fd: number;
  operation: number;
  /** Read, and not taken by the stream yet. */
  held: Buffer;
  closed: boolean;
  /** The child has ended, and the program is told when all that it printed is in the stream. */
  ended: (() => void) | undefined;
  /** Until the next try to write. */
  retry: NodeJS.Timeout | undefined;
}

export interface Diverted {
  readonly stdio: readonly StdioEntry[] | undefined;
  /** The child runs. */
  started(operation: number): void;
  /** The child could not be started. */
  failed(): void;
}

const { Pipe, constants } = binding('pipe_wrap') as unknown as { Pipe: new (type: number) => NativePipe; constants: { SOCKET: number } };
const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = binding('stream_wrap') as unknown as { streamBaseState: Int32Array; kReadBytesOrError: number; kArrayBufferOffset: number };
const { wait } = Atomics;

const CHUNK_BYTES = 65536;
/** Between two tries to write to a stream whose reader is slow. */
const RETRY_MS = 5;
/** How long the end of the program waits for a reader that is slow. */
const LAST_WAIT_MS = 2000;
const NOTHING: Buffer = bufferAlloc(0);

export class InheritedOutput {
  readonly #session: Session;
  readonly #relays: Set<Relay> = new Set();

  constructor(session: Session) {
    this.#session = session;
    session.beforeSend(() => this.#drainAll());
  }

  /** Puts pipes where a child of its own would print on the program's standard streams. */
  divert(stdio: readonly StdioEntry[] | undefined, detached: boolean): Diverted {
    const relays: Relay[] = [];
    const replaced = stdio?.map((entry): StdioEntry => {
      const fd = this.streamOf(entry, detached);
      if (fd === undefined) return entry;
      const pipe = new Pipe(constants.SOCKET);
      relays.push({ pipe, fd, operation: 0, held: NOTHING, closed: false, ended: undefined, retry: undefined });
      return { type: 'pipe', handle: pipe, readable: false, writable: true };
    });
    return {
      stdio: relays.length > 0 ? replaced : stdio,
      started: (operation) => {
        for (const relay of relays) this.#begin(relay, operation);
      },
      failed: () => {
        for (const { pipe } of relays) pipe.close();
      },
    };
  }

  /** @returns the standard stream that the entry stands for, where its output can go through a pipe unseen */
  streamOf({ type, fd }: StdioEntry, detached: boolean): 1 | 2 | undefined {
    if ((type !== 'inherit' && type !== 'fd') || (fd !== 1 && fd !== 2)) return undefined;
    if (isatty(fd)) return void this.#session.mayDiffer('what a child process prints on the program’s terminal (stdio: inherit)');
    if (!isReadable(fd)) return undefined;
    // It outlives the program, and a pipe would not.
    if (detached) return void this.#session.mayDiffer('what a detached child process prints on the program’s standard streams (stdio: inherit)');
    return fd;
  }

  /** The whole output of a child that has ended. */
  pass(operation: number, fd: 1 | 2, bytes: Buffer): void {
    this.#passUntil(operation, fd, bytes, Infinity);
  }

  /** Calls `tell` when all that the child has printed is in the streams: where their reader is slow, it would have ended only then. */
  childEnded(operation: number, tell: () => void): void {
    const held = [...this.#relays].filter((relay) => {
      if (relay.operation !== operation) return false;
      this.#drain(relay);
      return relay.held.length > 0;
    });
    if (held.length === 0) return tell();
    const scope = new AsyncResource('PROCESSWRAP');
    const waiting = new Set(held);
    for (const relay of held) {
      relay.retry?.ref();
      relay.ended = () => {
        waiting.delete(relay);
        if (waiting.size === 0) scope.runInAsyncScope(tell);
      };
    }
  }

  /** The program ends. */
  finish(): void {
    this.#drainAll();
    const deadline = dateNow() + LAST_WAIT_MS;
    for (const { operation, fd, held } of this.#relays) this.#passUntil(operation, fd, held, deadline);
  }

  #begin(relay: Relay, operation: number): void {
    const { pipe } = relay;
    relay.operation = operation;
    this.#relays.add(relay);
    pipe.onread = (chunk) => {
      const count = streamBaseState[kReadBytesOrError] as number;
      if (count > 0) this.#take(relay, bufferFrom(chunk as ArrayBuffer, streamBaseState[kArrayBufferOffset], count));
      else if (count < 0) this.#end(relay);
    };
    pipe.unref();
    pipe.readStart();
  }

  #end(relay: Relay): void {
    if (relay.closed) return;
    relay.closed = true;
    relay.pipe.close();
    if (relay.held.length === 0) this.#relays.delete(relay);
  }

  #drainAll(): void {
    for (const relay of this.#relays) this.#drain(relay);
  }

  /** Whatever lies in the pipe. */
  #drain(relay: Relay): void {
    while (!relay.closed && relay.held.length === 0) {
      const chunk = readNow(relay.pipe.fd);
      if (!chunk) return;
      this.#take(relay, chunk);
    }
  }

  #take(relay: Relay, bytes: Buffer): void {
    const left = this.#write(relay.operation, relay.fd, bytes);
    // Nobody reads: the child is to learn that, as it would.
    if (!left) return this.#end(relay);
    relay.held = left;
    if (left.length === 0) return;
    relay.pipe.readStop();
    this.#retry(relay);
  }

  #retry(relay: Relay): void {
    relay.retry = ownTimeout(() => {
      const { held } = relay;
      relay.held = NOTHING;
      relay.retry = undefined;
      this.#take(relay, held);
      this.#drain(relay);
      if (relay.held.length > 0) return;
      if (relay.closed) this.#relays.delete(relay);
      else relay.pipe.readStart();
      relay.ended?.();
    }, RETRY_MS);
    if (!relay.ended) relay.retry.unref();
  }

  #passUntil(operation: number, fd: number, bytes: Buffer, deadline: number): void {
    let left: Buffer | undefined = bytes;
    while (left && left.length > 0 && dateNow() < deadline) {
      left = this.#write(operation, fd, left);
      if (left && left.length > 0) wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }

  /** @returns what the stream did not take; undefined when nobody reads it any more */
  #write(operation: number, fd: number, bytes: Buffer): Buffer | undefined {
    let at = 0;
    try {
      while (at < bytes.length) {
        const written = nativeFs.writeSync(fd, bytes, at);
        this.#session.relayed(operation, fd, bytes.subarray(at, at + written));
        at += written;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return undefined;
    }
    return bytes.subarray(at);
  }
}

function readNow(fd: number): Buffer | undefined {
  const chunk = bufferAlloc(CHUNK_BYTES);
  try {
    const count = nativeFs.readSync(fd, chunk, 0, CHUNK_BYTES, null);
    return count > 0 ? chunk.subarray(0, count) : undefined;
  } catch {
    return undefined;
  }
}

/** Something whose other end can be read: no /dev/null. */
function isReadable(fd: number): boolean {
  try {
    const stat = nativeFs.fstatSync(fd);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}
