/**
 * After a divergence: lets the program go on a little, answering nothing real, until it shows what it is after (a request,
 * a printed line), so that the report can name it. Nothing leaves the process meanwhile.
 */
import type { Deliver, Recorded, WriteResult } from '../capture/session.ts';
import type { Kind } from '../model/event.ts';
import { encodeArguments, encodeOutcome } from '../model/value.ts';
import { bufferConcat, bufferFrom } from '../runtime/natives.ts';
import { ownImmediate } from '../runtime/own.ts';
import { describeStart } from './describe.ts';
import { parseRequest } from '../steps/http1.ts';
import { isHarmless, isSignal } from './harmless.ts';
import { describe } from '../steps/request-diff.ts';

const NOTHING = bufferFrom('');
/** Turns of the loop without a sign. */
const TURNS = 50;

/** What the program was after: `kind` as in a report, `described` in words. */
export interface Finding {
  readonly kind: string;
  readonly described: string;
}

/** libuv's number for what could not be found. */
const ENOENT = -2;
/** What a start comes to here. */
const NOT_STARTED: Readonly<Partial<Record<Kind, unknown>>> = { spawned: [ENOENT], 'spawn-sync': { error: ENOENT, pid: 0, status: null, signal: null, output: null } };

export type Found = (finding: Finding | undefined, frames: readonly string[]) => void;

export class Probe {
  readonly #streams: Map<number, number>;
  readonly #found: Found;
  readonly #frames: () => readonly string[];
  readonly #writes: Map<number, Buffer> = new Map();
  #turns = 0;
  #over = false;

  constructor(streams: Map<number, number>, found: Found, frames: () => readonly string[]) {
    this.#streams = streams;
    this.#found = found;
    this.#frames = frames;
    ownImmediate(this.#turn);
  }

  operation(id: number, kind: Kind, key: string, deliver: Deliver): number {
    const later = (what: Kind, data: Buffer): void => void ownImmediate(() => {
      if (!this.#over) deliver(what, 0, data);
    });
    if (kind === 'stdio') this.#streams.set(id, Number(key.slice(1, -1)));
    if (kind === 'tcp' || kind === 'pipe') later('connected', NOTHING);
    if (kind === 'tls') later('handshake', encodeArguments([]));
    if (kind === 'immediate') later('fired', NOTHING);
    if (kind === 'dns') later('completed', encodeOutcome({ result: [null, ['127.0.0.1']] }));
    if (kind === 'process') this.#show({ kind: 'child process', described: describeStart(kind, key) });
    if (kind === 'fs') this.#show({ kind: 'fs', described: describeStart(kind, key) });
    return id;
  }

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    if (isHarmless(kind, key)) return live();
    if (kind === 'process-value') return { status: 0, data: encodeOutcome({ result: isSignal(kind, key) ? 0 : [] }) };
    if (kind in NOT_STARTED) return { status: 0, data: encodeOutcome({ result: NOT_STARTED[kind] }) };
    if (kind === 'sqlite-value') this.#show({ kind: 'sqlite', described: describeStart('sqlite', key) });
    if (kind === 'wasi-value' && !key.startsWith('["new"')) this.#show({ kind: 'wasi', described: describeStart('wasi', key) });
    if (kind === 'fs-value') this.#show({ kind: 'fs', described: describeStart('fs', key) });
    const result = key.startsWith('["tls.') ? encodeArguments([undefined]) : key === '["getWindowSize"]' ? [0, 0, 0] : key === '["getsockname"]' || key === '["getpeername"]' ? [0, {}] : 0;
    return { status: 0, data: encodeOutcome({ result }) };
  }

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array, done: WriteResult): WriteResult {
    if (kind !== 'write') return done;
    const fd = this.#streams.get(operation);
    const stream = fd === 1 ? 'stdout' : 'stderr';
    if (fd !== undefined) this.#show({ kind: stream, described: `${stream}: ${describe(bufferFrom(bytes))}` });
    const sent = bufferConcat([this.#writes.get(operation) ?? NOTHING, bytes]);
    this.#writes.set(operation, sent);
    if (parseRequest(sent)?.complete) this.#show({ kind: 'http request', described: describe(sent) });
    return done;
  }

  /** The program shows nothing more. */
  giveUp(): void {
    const begun = [...this.#writes.values()][0];
    this.#show(begun && { kind: 'socket write', described: describe(begun) });
  }

  readonly #turn = (): void => {
    if (this.#over) return;
    if (++this.#turns < TURNS) ownImmediate(this.#turn);
    else this.giveUp();
  };

  #show(finding: Finding | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#found(finding, this.#frames());
  }
}
