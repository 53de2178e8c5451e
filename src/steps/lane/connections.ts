/** Follows sockets and pipes: what was sent and received on each, and through which layers. */
import type { StartEvent } from '../../model/event.ts';
import { asList, asNumber, asObject, asText, parseJson } from '../json.ts';
import { connectionDrafts } from './connection-steps.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { Peer } from './peer.ts';

export class Connections implements Tracker {
  readonly #peers: Peer[] = [];
  /** By operation; a TLS layer on a connection that already speaks shares the entry of the connection below. */
  readonly #byOperation = new Map<number, Peer>();

  take(event: OperationEvent): void {
    if (event.type === 'start') this.#open(event);
    else if (event.type === 'output') this.#byOperation.get(event.operation)?.sent(event);
    else this.#byOperation.get(event.operation)?.delivered(event);
  }

  finish(): Draft[] {
    return this.#peers.flatMap(connectionDrafts);
  }

  #open(event: StartEvent): void {
    const peer = event.kind === 'tls' ? this.#secure(event) : this.#plain(event);
    peer.setup.push(event);
    this.#byOperation.set(event.operation, peer);
  }

  #plain(event: StartEvent): Peer {
    const [host, port] = asList(parseJson(event.key));
    const name = asText(host) ?? '';
    const facts = event.kind === 'pipe' ? { scheme: 'http' as const, host: 'localhost', port: null } : { scheme: 'http' as const, host: name, port: asNumber(port) };
    return this.#add(new Peer(facts, event.kind === 'pipe' ? name : `${name.includes(':') ? `[${name}]` : name}:${String(port)}`));
  }

  #secure(event: StartEvent): Peer {
    const { tcp, servername } = asObject(parseJson(event.key));
    const below = this.#byOperation.get(asNumber(tcp) ?? -1);
    // Postgres and others ask for TLS on the open connection: it stays one conversation.
    if (below && below.spoke && below.http.protocol !== 'http') return below;
    const host = asText(servername) || (below?.host ?? '');
    const facts = { scheme: 'https' as const, host, port: below?.port ?? null };
    const peer = new Peer(facts, below?.address ?? host, below?.spoke === false ? below.setup : []);
    if (below) below.above = peer;
    return this.#add(peer);
  }

  #add(peer: Peer): Peer {
    this.#peers.push(peer);
    return peer;
  }
}

