/** Records real traffic: a TCP proxy that writes down the bytes of each connection as the events of a lane. */
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Kind, LaneEvent, RunFacts } from '../../../src/model/event.ts';

type Draft<T> = T extends LaneEvent ? Omit<T, 'seq' | 'at'> : never;

const EOF = -4095;
const ECONNRESET = -104;

export const FACTS: RunFacts = {
  runId: 'run-1', lane: 0, agent: 'weather', name: '', tags: {}, injected: false, startedAt: 1_795_000_000_000.5, node: 'v20.20.2', platform: 'linux', arch: 'x64',
  execPath: '/usr/bin/node', execArgv: [], argv: ['node', 'agent.mjs'], argv0: 'node', title: 'node', cwd: '/work', env: {}, pid: 1, ppid: 0,
  stdio: ['pipe', 'pipe', 'pipe'], ttySize: {}, seed: 'seed',
};

/** The journal of a lane, as a list. */
export class Tape {
  readonly events: LaneEvent[] = [];
  readonly #startedAt = performance.now();
  #operations = 0;

  constructor() {
    this.add({ type: 'begin', facts: FACTS });
  }

  add(event: Draft<LaneEvent>): number {
    const seq = this.events.length;
    this.events.push({ seq, at: Math.floor((performance.now() - this.#startedAt) * 1000), ...event } as LaneEvent);
    return seq;
  }

  start(kind: Kind, key: unknown): number {
    const operation = ++this.#operations;
    this.add({ type: 'start', operation, kind, key: JSON.stringify(key) });
    return operation;
  }

  write(operation: number, data: Buffer | string): number {
    return this.add({ type: 'output', operation, kind: 'write', status: 0, data: Buffer.from(data) });
  }

  deliver(operation: number, kind: Kind, status = 0, data: Buffer | string = ''): number {
    return this.add({ type: 'delivery', operation, kind, status, data: Buffer.from(data) });
  }

  read(operation: number, data: Buffer | string): number {
    return this.deliver(operation, 'read', Buffer.byteLength(data), data);
  }

  value(kind: Kind, status: number, key: unknown, data: Buffer | string = ''): number {
    return this.add({ type: 'value', kind, status, key: key === '' ? '' : JSON.stringify(key), data: Buffer.from(data) });
  }
}

export interface Recorded {
  readonly tape: Tape;
  /** Where clients connect to. */
  readonly port: number;
  readonly base: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Listens in front of a server; what passes is recorded. */
export async function recordTraffic(upstream: number, tape: Tape = new Tape()): Promise<Recorded> {
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer({ allowHalfOpen: true }, (client) => {
    const server = net.connect({ port: upstream, host: '127.0.0.1', allowHalfOpen: true });
    const operation = tape.start('tcp', ['127.0.0.1', (proxy.address() as AddressInfo).port]);
    tape.deliver(operation, 'connected');
    sockets.add(client).add(server);
    client.on('data', (data) => {
      tape.write(operation, data);
      server.write(data);
    });
    let open = true;
    const closed = (): void => {
      if (open) tape.deliver(operation, 'closed');
      open = false;
      server.destroy();
      client.destroySoon();
    };
    client.on('end', closed).on('error', closed).on('close', closed);
    server.on('data', (data) => {
      tape.read(operation, data);
      client.write(data);
    });
    server.on('end', () => {
      if (open) tape.deliver(operation, 'read', EOF);
      client.end();
    });
    server.on('error', () => {
      if (open) tape.deliver(operation, 'read', ECONNRESET);
      client.resetAndDestroy();
    });
  });
  const port = await listen(proxy);
  return {
    tape,
    port,
    base: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

export async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** The same traffic with other cuts: `cut` gives the lengths of the pieces of each write and read. */
export function recut(events: readonly LaneEvent[], cut: (bytes: Buffer, event: LaneEvent) => number[]): LaneEvent[] {
  const pieces = events.flatMap((event): LaneEvent[] => {
    const splits = (event.type === 'output' && event.kind === 'write') || (event.type === 'delivery' && event.kind === 'read' && event.data.length > 0);
    if (!splits) return [event];
    let at = 0;
    const lengths = cut(event.data, event);
    return lengths.filter((length) => length > 0).map((length) => {
      const data = event.data.subarray(at, at + length);
      at += length;
      return event.type === 'delivery' ? { ...event, data, status: data.length } : { ...event, data };
    });
  });
  return pieces.map((event, seq) => ({ ...event, seq }));
}

export function everyByte(bytes: Buffer): number[] {
  return Array.from(bytes, () => 1);
}

/** Waits for a fact instead of a while. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** @returns whether the program has been given these bytes. */
export function hasRead(tape: Tape, text: string): boolean {
  return tape.events.some((event) => event.type === 'delivery' && event.data.includes(text));
}

export function closings(tape: Tape): number {
  return tape.events.filter((event) => event.type === 'delivery' && event.kind === 'closed').length;
}
