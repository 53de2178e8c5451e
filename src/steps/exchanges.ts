/** The HTTP exchanges of a lane, whoever asked: with the bytes of their bodies, and with their credentials. */
import type { Kind, LaneEvent } from '../model/event.ts';
import type { HttpExchange } from './http1.ts';
import { Connections } from './lane/connections.ts';

const CONNECTIONS: ReadonlySet<Kind> = new Set(['tcp', 'pipe', 'tls', 'server', 'accepted']);

export function exchangesOf(events: readonly LaneEvent[]): readonly HttpExchange[] {
  const connections = new Connections();
  const followed = new Set<number>();
  for (const event of events) {
    if (event.type === 'start' && CONNECTIONS.has(event.kind)) followed.add(event.operation);
    if ((event.type === 'start' || event.type === 'delivery' || event.type === 'output') && followed.has(event.operation)) connections.take(event);
  }
  return connections.exchanges;
}
