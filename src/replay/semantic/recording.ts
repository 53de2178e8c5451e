/** A tape as semantic replay needs it: what was started, read and delivered, each found by what it was. */
import type { DeliveryEvent, LaneEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { jsonParse } from '../../runtime/natives.ts';
import { factsOf, type Piece, RecordedConnection, type RecordedExchange } from './exchanges.ts';
import { BySlot } from './by-slot.ts';

/** A recorded delivery, in its turn. */
export interface Turn {
  /** Number among all deliveries. */
  readonly slot: number;
  readonly event: DeliveryEvent;
  /** Parts of HTTP answers that it brought. */
  readonly pieces: readonly Piece[] | undefined;
  /** Bytes that the program had written to the operation before. */
  readonly sentBefore: number;
}

export interface RecordedStart {
  readonly event: StartEvent;
  readonly slot: number;
  /** Where it lies on the tape. */
  readonly index: number;
  /** Its deliveries. */
  readonly turns: Turn[];
}

const CONNECTIONS = new Set(['tcp', 'pipe', 'tls']);
/** Deliveries that follow by themselves from what the program does. */
const BY_THEMSELVES = new Set(['written', 'closed', 'emitted']);

export class Recording {
  readonly events: readonly LaneEvent[];
  /** Deliveries that come in their turn; all others follow by themselves. */
  readonly turns: readonly Turn[];
  readonly starts: BySlot<RecordedStart> = new BySlot();
  readonly values: BySlot<ValueEvent> = new BySlot();
  /** Packs of clock reads, by slot. */
  readonly clocks: Map<number, Buffer[]> = new Map();
  readonly exchanges: readonly RecordedExchange[];
  readonly connections: ReadonlyMap<number, RecordedConnection>;
  /** Outputs by operation; those of sockets that speak HTTP are among the exchanges. */
  readonly outputs: Map<number, OutputEvent[]> = new Map();
  /** What TLS told of each connection, by operation. */
  readonly handshakes: Map<number, DeliveryEvent[]> = new Map();
  readonly exitCode: number | undefined;

  readonly #others: ReadonlySet<number>;

  constructor(events: readonly LaneEvent[]) {
    this.events = events;
    const connections = new Map<number, RecordedConnection>();
    const started = new Map<number, RecordedStart>();
    const sent = new Map<number, number>();
    const found: { event: DeliveryEvent; slot: number; sentBefore: number }[] = [];
    let exitCode: number | undefined;
    let slot = -1;
    events.forEach((event, index) => {
      if (event.type === 'start') {
        const start = { event, slot, index, turns: [] };
        started.set(event.operation, start);
        if (CONNECTIONS.has(event.kind)) connect(event, connections);
        this.starts.add(slot, event.kind, event.key, start);
      } else if (event.type === 'value') {
        if (event.kind !== 'clock') this.values.add(slot, event.kind, event.key, event);
        else this.clocks.set(slot, [...(this.clocks.get(slot) ?? []), event.data]);
      } else if (event.type === 'output') {
        if (event.kind === 'exit') exitCode = event.status;
        if (event.kind === 'write') connections.get(event.operation)?.write(event);
        // What a child printed was none of the program's doing.
        if (event.kind === 'relayed') return;
        sent.set(event.operation, (sent.get(event.operation) ?? 0) + event.data.length);
        const outputs = this.outputs.get(event.operation);
        if (outputs) outputs.push(event);
        else this.outputs.set(event.operation, [event]);
      } else if (event.type === 'delivery') {
        const connection = connections.get(event.operation);
        if (event.kind === 'read') connection?.read(event);
        // What HTTP does below its requests is not the program's.
        const isBelow = BY_THEMSELVES.has(event.kind) || (connection !== undefined && event.kind !== 'read' && event.status === 0);
        if (event.kind === 'handshake') this.handshakes.set(event.operation, [...(this.handshakes.get(event.operation) ?? []), event]);
        if (connection && event.kind === 'connected') connection.connectedIn = slot;
        if (isBelow) return;
        slot = found.length;
        found.push({ event, slot, sentBefore: sent.get(event.operation) ?? 0 });
      }
    });
    const pieces = new Map<number, Piece[]>();
    this.exchanges = [...connections.values()].flatMap((connection) => connection.finish(pieces)).sort((a, b) => a.seq - b.seq);
    this.connections = connections;
    this.turns = found.map(({ event, slot, sentBefore }) => ({ slot, event, sentBefore, pieces: pieces.get(event.seq) }));
    for (const turn of this.turns) started.get(turn.event.operation)?.turns.push(turn);
    const others = [...connections.values()].filter(({ protocol }) => protocol === 'other').map(({ operation }) => operation);
    const below = others.flatMap((operation) => {
      const start = started.get(operation)?.event;
      return start?.kind === 'tls' ? [(jsonParse(start.key) as { tcp: number }).tcp] : [];
    });
    this.#others = new Set([...others, ...below]);
    this.exitCode = exitCode;
  }

  /** Whether something other than HTTP/1 was spoken on a connection, or on the TLS on top of it. */
  isOther(operation: number): boolean {
    return this.#others.has(operation);
  }

  /** Connections to where this key leads, in recorded order. */
  to(address: string): RecordedConnection[] {
    return [...this.connections.values()].filter((connection) => connection.address === address);
  }
}

function connect({ operation, kind, key, seq }: StartEvent, connections: Map<number, RecordedConnection>): void {
  if (kind !== 'tls') {
    connections.set(operation, new RecordedConnection(operation, key, factsOf(kind, key), seq));
    return;
  }
  const { tcp, server } = jsonParse(key) as { tcp: number; server?: true };
  const below = connections.get(tcp);
  if (below && !server) connections.set(operation, new RecordedConnection(operation, below.address, factsOf('tcp', below.address, key), below.began));
}
