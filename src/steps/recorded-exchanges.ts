/** The HTTP exchanges that a program began, whole: for whoever answers them again. */
import type { LaneEvent } from '../model/event.ts';
import { bufferConcat } from '../runtime/natives.ts';
import { readExchange } from './exchange.ts';
import { type ExchangeEnd, HttpConnection, type HttpExchange } from './http1.ts';
import { asObject, asText } from './json.ts';
import { gatherDrafts } from './lane/gather.ts';
import { readLlmCall } from './providers/index.ts';

export interface RecordedExchange {
  readonly step: number;
  /** Absolute. */
  readonly url: string;
  readonly exchange: HttpExchange;
  readonly isModelCall: boolean;
  /** What its own bytes do not tell: how the connection ended that carried it. */
  readonly end: ExchangeEnd;
}

export function recordedExchanges(events: readonly LaneEvent[]): RecordedExchange[] {
  return gatherDrafts(events, {}).flatMap(({ seq, boundary, input, end, events: own }) => {
    const url = asText(asObject(input)['url']);
    if (boundary !== 'http' || url === null) return [];
    const bytesOf = (type: 'output' | 'delivery'): Buffer => bufferConcat(own.flatMap((event) => (event.type === type && 'data' in event ? [event.data] : [])));
    const exchange = exchangeOf(url, bytesOf('output'), bytesOf('delivery'));
    return exchange ? [{ step: seq, url, exchange, isModelCall: isModelCall(exchange), end: end ?? exchange.end }] : [];
  });
}

/** Of the bytes of one exchange. */
export function exchangeOf(url: string, sent: Buffer, received: Buffer): HttpExchange | undefined {
  const { protocol, hostname, port } = new URL(url);
  const connection = new HttpConnection({ scheme: protocol === 'https:' ? 'https' : 'http', host: hostname, port: port === '' ? null : Number(port) });
  connection.write(0, 0, sent);
  connection.read(1, 1, received);
  connection.end(2, 2, 'eof');
  return connection.exchanges[0];
}

/** By its wire format, whoever is asked. */
export function isModelCall(exchange: HttpExchange): boolean {
  return readLlmCall(readExchange(exchange)) !== undefined;
}
