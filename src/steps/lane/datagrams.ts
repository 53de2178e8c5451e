/** UDP: each datagram is a step. */
import type { DeliveryEvent, LaneEvent, StartEvent } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { bufferFrom } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import { asList, asNumber, asObject, asText, parseJson, preview } from '../json.ts';
import type { StepError } from '../step.ts';
import { type Draft, type OperationEvent, statusName, type Tracker } from './draft.ts';

interface Sent {
  readonly start: StartEvent;
  readonly events: LaneEvent[];
  data: Buffer;
  failed: { readonly code: string; readonly at: number } | undefined;
}

export class Datagrams implements Tracker {
  readonly #sent = new Map<number, Sent>();
  readonly #drafts: Draft[] = [];

  take(event: OperationEvent): void {
    if (event.type === 'start') {
      if (event.kind === 'datagram') this.#sent.set(event.operation, { start: event, events: [event], data: bufferFrom(''), failed: undefined });
      return;
    }
    const sent = this.#sent.get(event.operation);
    if (!sent) {
      if (event.type === 'delivery') this.#drafts.push(receivedDraft(event));
      return;
    }
    sent.events.push(event);
    if (event.type === 'output') sent.data = event.data;
    else if (event.status < 0) sent.failed = { code: statusName(event.status), at: event.at };
  }

  finish(): Draft[] {
    return [...this.#drafts, ...[...this.#sent.values()].map(sentDraft)];
  }
}

function sentDraft({ start, events, data, failed }: Sent): Draft {
  const [, host, port] = asList(parseJson(start.key));
  // Of a connected socket the destination is the socket's.
  const address = asText(host) === null ? null : addressOf(asText(host) ?? '', asNumber(port));
  const to = `udp${address === null ? '' : ` ${address}`}`;
  const error: StepError | null = failed ? { code: failed.code, message: `sending to ${to} failed` } : null;
  const shown = showBytes(data);
  return {
    seq: start.seq,
    events,
    kind: 'tool',
    boundary: 'socket',
    name: to,
    summary: `${to} ← ${lineOf(shown)}${error ? ` → ${error.code}` : ''}`,
    input: { address, protocol: 'udp', data: shown },
    output: error ? null : { bytesSent: data.length },
    error,
    asked: `udp ${start.key}`,
    startedAt: start.at,
    endedAt: events.at(-1)?.at ?? start.at,
  };
}

function receivedDraft(event: DeliveryEvent): Draft {
  const { result, bytes } = decodeOutcome(event.data) as { result: unknown; bytes?: Uint8Array };
  const sender = asObject(asList(result)[1]);
  const from = asText(sender['address']) === null ? null : addressOf(asText(sender['address']) ?? '', asNumber(sender['port']));
  const error: StepError | null = event.status < 0 ? { code: statusName(event.status), message: 'receiving failed' } : null;
  const shown = showBytes(bufferFrom(bytes ?? new Uint8Array()));
  const name = `udp${from === null ? '' : ` ${from}`}`;
  return {
    seq: event.seq,
    events: [event],
    kind: 'message',
    boundary: 'socket',
    name,
    summary: `${name} → ${error ? error.code : lineOf(shown)}`,
    input: null,
    output: error ? null : { address: from, protocol: 'udp', data: shown },
    error,
    asked: 'udp',
    startedAt: event.at,
    endedAt: event.at,
  };
}

function addressOf(host: string, port: number | null): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function lineOf(data: unknown): string {
  const bytes = asNumber(asObject(data)['bytes']);
  return bytes === null ? preview(data, 80) : `${bytes} bytes`;
}
