import type { LaneEvent } from '../../model/event.ts';
import { readExchange } from '../exchange.ts';
import type { HttpExchange } from '../http1.ts';
import type { Said } from '../said.ts';
import type { Draft } from './draft.ts';
import { exchangeDraft } from './exchange-step.ts';
import type { Peer } from './peer.ts';
import { messageDrafts } from './websocket-step.ts';

/** @returns one step per HTTP exchange, SQL statement or Redis command, or one for a connection that speaks something else. */
export function connectionDrafts(peer: Peer): Draft[] {
  const { exchanges } = peer;
  if (exchanges.length > 0) return exchangeDrafts(peer, exchanges);
  const said = peer.dialogue.said();
  if (said.length > 0) return saidDrafts(peer, said);
  if (peer.spoke) return [socketDraft(peer)];
  return peer.failure ? [failedDraft(peer, peer.failure)] : [];
}

function saidDrafts(peer: Peer, said: readonly Said[]): Draft[] {
  const bySeq = new Map(peer.traffic.map((event) => [event.seq, event]));
  return said.map(({ seqs, ...fields }, index) => {
    const carried = [...seqs].sort((a, b) => a - b).flatMap((seq): LaneEvent | LaneEvent[] => bySeq.get(seq) ?? []);
    return { ...fields, seq: carried[0]?.seq ?? 0, events: index === 0 ? [...peer.setup, ...carried] : carried, boundary: 'socket' };
  });
}

function exchangeDrafts(peer: Peer, exchanges: readonly HttpExchange[]): Draft[] {
  const bySeq = new Map(peer.traffic.map((event) => [event.seq, event]));
  return exchanges.flatMap((exchange, index) => {
    const traffic = [...new Set([...exchange.writes, ...exchange.reads])].sort((a, b) => a - b).flatMap((seq) => bySeq.get(seq) ?? []);
    return [exchangeDraft(readExchange(exchange), exchange, peer, index === 0 ? [...peer.setup, ...traffic] : traffic), ...messageDrafts(exchange, bySeq)];
  });
}

function socketDraft(peer: Peer): Draft {
  const { address, bytesSent, bytesReceived, traffic, failure } = peer;
  const carried = traffic.filter((event) => (event.type === 'output' || event.type === 'delivery') && event.data.length > 0);
  const opening = carried[0] ?? traffic[0];
  const protocol = protocolOf(peer);
  const name = `${protocol ?? 'connection'} ${address}`;
  return {
    seq: opening?.seq ?? 0,
    events: [...peer.setup, ...traffic],
    kind: 'tool',
    boundary: 'socket',
    name,
    summary: `${name}: ${bytesSent} bytes sent, ${bytesReceived} received`,
    input: { address, protocol },
    output: { bytesSent, bytesReceived },
    error: failure ? { code: failure.code, message: `the connection to ${address} failed` } : null,
    asked: `socket ${address}`,
    startedAt: opening?.at ?? 0,
    endedAt: traffic.at(-1)?.at ?? null,
  };
}

function failedDraft(peer: Peer, { code, at }: { code: string; at: number }): Draft {
  const { address, setup, traffic } = peer;
  return {
    seq: setup[0]?.seq ?? 0,
    events: [...setup, ...traffic],
    kind: 'tool',
    boundary: 'socket',
    name: `connect ${address}`,
    summary: `connect ${address} → ${code}`,
    input: { address, protocol: null },
    output: null,
    error: { code, message: `connecting to ${address} failed` },
    asked: `socket ${address}`,
    startedAt: setup[0]?.at ?? 0,
    endedAt: at,
  };
}

const POSTGRES_VERSION = 196608;
const POSTGRES_SSL = 80877103;

/** A guess from the first bytes, for the name only. */
function protocolOf({ firstSent, firstReceived, port }: Peer): string | null {
  const code = firstSent.length >= 8 ? firstSent.readUInt32BE(4) : 0;
  if (code === POSTGRES_VERSION || code === POSTGRES_SSL) return 'postgres';
  const sent = firstSent.subarray(0, 16).latin1Slice();
  if (sent.startsWith('PRI * HTTP/2.0')) return 'http2';
  if (/^\*\d+\r\n\$/.test(sent)) return 'redis';
  if (/^[\s\S]{4}\x0a[58]\./.test(firstReceived.subarray(0, 8).latin1Slice())) return 'mysql';
  return port === 27017 ? 'mongodb' : null;
}
