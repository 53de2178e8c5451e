/** Worker threads, message ports and broadcast channels: a step for a thread, and one for each message. */
import type { DeliveryEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { decodeMessage } from '../../model/message.ts';
import { bufferFrom, deserialize } from '../../runtime/natives.ts';
import { asList, asObject, asText, parseJson, preview } from '../json.ts';
import type { StepError } from '../step.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { shownMessage } from '../shown-message.ts';

/** What an operation stands for, in a reader's words. */
interface Peer {
  readonly start: StartEvent;
  readonly name: string;
  readonly isWorker: boolean;
  /** The first message to a thread: what it runs. */
  script: OutputEvent | undefined;
  exit: DeliveryEvent | undefined;
  error: StepError | null;
  sent: number;
  received: number;
}

const NOT_A_MESSAGE = 3;

export class Threads implements Tracker<OperationEvent | ValueEvent> {
  readonly #peers = new Map<number, Peer>();
  readonly #messages: Draft[] = [];

  take(event: OperationEvent | ValueEvent): void {
    if (event.type === 'start') return this.#open(event);
    if (event.type === 'value') {
      const peer = this.#peers.get(Number(asList(parseJson(event.key))[1]));
      if (peer && event.status !== NOT_A_MESSAGE) this.#received(peer, event);
      return;
    }
    const peer = this.#peers.get(event.operation);
    if (!peer) return;
    if (event.type === 'output') this.#sent(peer, event);
    else if (event.kind === 'messaged') this.#received(peer, event);
    else if (event.kind === 'worker-control') peer.error ??= uncaughtIn(event.data);
    else if (event.kind === 'worker-exited') this.#exited(peer, event);
  }

  finish(): Draft[] {
    return [...this.#messages, ...[...this.#peers.values()].filter(({ isWorker }) => isWorker).map(workerDraft)];
  }

  #open(start: StartEvent): void {
    const told = asText(asList(parseJson(start.key))[0]) ?? '';
    const isWorker = start.kind === 'worker';
    const name = isWorker ? `worker ${told}` : start.kind === 'broadcast' ? `channel ${told}` : told === 'parentPort' ? 'the parent thread' : 'a port';
    this.#peers.set(start.operation, { start, name, isWorker, script: undefined, exit: undefined, error: null, sent: 0, received: 0 });
  }

  #sent(peer: Peer, event: OutputEvent): void {
    if (peer.isWorker && event.kind === 'posted' && !peer.script) {
      peer.script = event;
      return;
    }
    peer.sent++;
    this.#messages.push(messageDraft(event, 'to', peer.name, event.kind === 'posted' ? shownMessage(event.data) : event.data.toString()));
  }

  #received(peer: Peer, event: DeliveryEvent | ValueEvent): void {
    peer.received++;
    this.#messages.push(messageDraft(event, 'from', peer.name, event.data.length === 0 ? undefined : shownMessage(event.data)));
  }

  #exited(peer: Peer, event: DeliveryEvent): void {
    peer.exit = event;
    const { error, reason, left } = deserialize(event.data) as { error?: unknown; reason?: unknown; left: readonly { isControl: boolean; data: Uint8Array }[] };
    if (typeof error === 'string') peer.error ??= { code: error, message: asText(reason) ?? error };
    for (const { isControl, data } of left) {
      if (isControl) peer.error ??= uncaughtIn(bufferFrom(data));
      else peer.received++;
    }
  }
}

function workerDraft({ start, name, script, exit, error, sent, received }: Peer): Draft {
  const exitCode = exit?.status ?? null;
  const { argv, workerData } = asObject(script && shownMessage(script.data));
  return {
    seq: start.seq,
    events: [start, ...(script ? [script] : []), ...(exit ? [exit] : [])],
    kind: 'state',
    boundary: 'worker',
    name,
    summary: `${name}: ${sent} sent, ${received} received → ${exitCode === null ? 'still running' : `exit ${exitCode}`}`,
    input: { script: name.slice('worker '.length), argv: argv ?? null, workerData: workerData ?? null },
    output: { exitCode, sent, received },
    error,
    asked: `worker ${start.key}`,
    startedAt: start.at,
    endedAt: exit?.at ?? null,
  };
}

function messageDraft(event: OutputEvent | DeliveryEvent | ValueEvent, way: 'to' | 'from', who: string, message: unknown): Draft {
  const name = `message ${way} ${who}`;
  return {
    seq: event.seq,
    events: [event],
    kind: 'message',
    boundary: 'worker',
    name,
    summary: message === undefined ? `${name}, posted in this thread` : `${name}: ${preview(message, 80)}`,
    input: way === 'to' ? { to: who, message: message ?? null } : null,
    output: way === 'from' ? { from: who, message: message ?? null } : null,
    error: null,
    asked: event.data,
    startedAt: event.at,
    endedAt: event.at,
  };
}

/** Node sends an uncaught error as bytes: a tag, and what it could serialize of it. */
function uncaughtIn(data: Buffer): StepError | null {
  const { type, error } = decodeMessage(data, () => ({})).value as { type?: unknown; error?: unknown };
  if (type === 'couldNotSerializeError') return { code: 'ERR_WORKER_UNSERIALIZABLE_ERROR', message: 'an uncaught error that cannot be sent' };
  if (type !== 'errorMessage' || !(error instanceof Uint8Array)) return null;
  try {
    const { constructor, properties } = deserialize(error.subarray(1)) as { constructor?: unknown; properties?: Record<string, { value?: unknown }> };
    return { code: asText(properties?.['code']?.value) ?? asText(constructor) ?? 'ERROR', message: asText(properties?.['message']?.value) ?? 'an uncaught error' };
  } catch {
    return { code: 'ERROR', message: 'an uncaught error' };
  }
}
