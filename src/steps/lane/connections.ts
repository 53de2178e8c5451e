/** Follows sockets and pipes, of clients and of servers: what was sent and received on each, and through which layers. */
import type { StartEvent } from '../../model/event.ts';
import { asList, asNumber, asObject, asText, parseJson } from '../json.ts';
import type { ConnectionFacts, HttpExchange } from '../http1.ts';
import { connectionDrafts } from './connection-steps.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { inboundDrafts, listenDraft, placeOf } from './inbound-steps.ts';
import { Peer } from './peer.ts';

export class Connections implements Tracker {
  readonly #peers: Peer[] = [];
  /** By operation; a TLS layer on a connection that already speaks shares the entry of the connection below. */
  readonly #byOperation = new Map<number, Peer>();

  readonly #servers = new Map<number, StartEvent>();
  /** Who has just connected. */
  #from = '';

  take(event: OperationEvent): void {
    if (event.kind === 'connection') this.#from = event.type === 'delivery' ? event.data.latin1Slice() : '';
    else if (event.type === 'start' && event.kind === 'server') this.#servers.set(event.operation, event);
    else if (event.type === 'start') this.#open(event);
    else if (event.type === 'output') this.#byOperation.get(event.operation)?.sent(event);
    else this.#byOperation.get(event.operation)?.delivered(event);
  }

  get exchanges(): readonly HttpExchange[] {
    return this.#peers.flatMap((peer) => peer.exchanges);
  }

  finish(): Draft[] {
    return [...[...this.#servers.values()].map(listenDraft), ...this.#peers.flatMap((peer) => (peer.isInbound ? inboundDrafts(peer) : connectionDrafts(peer)))];
  }

  #open(event: StartEvent): void {
    const peer = event.kind === 'tls' ? this.#secure(event) : event.kind === 'accepted' ? this.#accepted(event) : this.#plain(event);
    peer.setup.push(event);
    this.#byOperation.set(event.operation, peer);
  }

  #plain(event: StartEvent): Peer {
    const [host, port] = asList(parseJson(event.key));
    const name = asText(host) ?? '';
    const facts = event.kind === 'pipe' ? { scheme: 'http' as const, host: 'localhost', port: null } : { scheme: 'http' as const, host: name, port: asNumber(port) };
    return this.#add(new Peer(facts, event.kind === 'pipe' ? name : `${name.includes(':') ? `[${name}]` : name}:${String(port)}`));
  }

  #accepted(event: StartEvent): Peer {
    const server = this.#servers.get(asNumber(asList(parseJson(event.key))[0]) ?? -1);
    const { host, port } = server ? placeOf(server) : { host: '', port: null };
    return this.#add(new Peer({ scheme: 'http', host, port }, this.#from, [], true));
  }

  #secure(event: StartEvent): Peer {
    const { tcp, servername, server } = asObject(parseJson(event.key));
    const below = this.#byOperation.get(asNumber(tcp) ?? -1);
    if (server === true) return this.#above(below, new Peer({ scheme: 'https', host: below?.host ?? '', port: below?.port ?? null }, below?.address ?? '', [], true));
    // Postgres and others ask for TLS on the open connection: it stays one conversation.
    if (below && below.spoke && below.http.protocol !== 'http') return below;
    const host = asText(servername) || (below?.host ?? '');
    const facts: ConnectionFacts = { scheme: 'https', host, port: below?.port ?? null };
    return this.#above(below, new Peer(facts, below?.address ?? host, below?.spoke === false ? below.setup : []));
  }

  #above(below: Peer | undefined, peer: Peer): Peer {
    if (below) below.above = peer;
    return this.#add(peer);
  }

  #add(peer: Peer): Peer {
    this.#peers.push(peer);
    return peer;
  }
}

