/** A step before it is numbered and chained, and the trackers that gather it. */
import { getSystemErrorName } from 'node:util';
import type { DeliveryEvent, LaneEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { bufferFrom } from '../../runtime/natives.ts';
import type { ExchangeEnd } from '../http1.ts';
import { asText } from '../json.ts';
import type { AnswerMessage, Message } from '../providers/provider.ts';
import type { Boundary, Envelope, StepError, StepKind } from '../step.ts';

export interface Draft {
  /** Sequence number of the opening event. */
  readonly seq: number;
  /** What the step was made of. */
  readonly events: readonly LaneEvent[];
  readonly kind: StepKind;
  readonly boundary: Boundary;
  readonly name: string;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: StepError | null;
  /** What was asked, for the key. */
  readonly asked: string | Buffer;
  readonly startedAt: number;
  /** null: it never ended. */
  readonly endedAt: number | null;
  /** Of an HTTP exchange. */
  readonly end?: ExchangeEnd;
  readonly envelope?: Envelope;
  readonly conversation?: Conversation;
}

/** What a model was told, and what it said. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly answer: AnswerMessage | null;
  /** Number of the event that brought the last of the answer. */
  readonly heard: number;
}

export type OperationEvent = StartEvent | DeliveryEvent | OutputEvent;

/** Follows one sort of operation, or of values, through a lane. */
export interface Tracker<E extends LaneEvent = OperationEvent> {
  take(event: E): void;
  finish(): Draft[];
}

export type ValueTracker = Tracker<ValueEvent>;

const END_OF_STREAM = -4095;

/** What Node calls the resolver's errors. */
const RESOLVER_ERRORS: Readonly<Record<string, string>> = { EAI_NONAME: 'ENOTFOUND', EAI_NODATA: 'ENOTFOUND', EAI_MEMORY: 'ENOMEM' };

/** @returns `eof` for the end of a stream, else the name of the error: `ECONNRESET`. */
export function statusName(status: number): string {
  if (status === END_OF_STREAM) return 'eof';
  try {
    const name = getSystemErrorName(status);
    return RESOLVER_ERRORS[name] ?? name;
  } catch {
    return `E${-status}`;
  }
}

/** What an operation or a synchronous call came to. */
export interface Outcome {
  readonly result: unknown;
  readonly bytes: Buffer | null;
  readonly error: StepError | null;
}

export function outcomeOf(event: DeliveryEvent | ValueEvent): Outcome {
  const failed = event.status < 0 ? { code: statusName(event.status), message: statusName(event.status) } : null;
  if (event.data.length === 0) return { result: undefined, bytes: null, error: failed };
  try {
    const outcome = decodeOutcome(event.data);
    if ('error' in outcome) return { result: undefined, bytes: null, error: stepError(outcome.error) };
    return { result: outcome.result, bytes: outcome.bytes ? toBuffer(outcome.bytes) : null, error: failed };
  } catch {
    return { result: undefined, bytes: null, error: failed ?? { code: 'UNREADABLE', message: 'the recorded value cannot be read' } };
  }
}

/** @returns an error of the program's, in the form of a step's. */
export function stepError(error: unknown): StepError {
  const { code, name, message, syscall, path } = error as Error & Record<'code' | 'syscall' | 'path', unknown>;
  const known = asText(code) ?? asText(name) ?? 'ERROR';
  return {
    code: known,
    message: asText(message) ?? known,
    ...(typeof syscall === 'string' ? { syscall } : {}),
    ...(typeof path === 'string' ? { path } : {}),
  };
}

export function toBuffer(bytes: Uint8Array): Buffer {
  return bufferFrom(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
