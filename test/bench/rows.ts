/** What is measured, how often, and which figure is held to which target. */
import type { DatabaseName } from '../support/databases/index.ts';
import type { Sample } from './measure.ts';
import { slope } from './statistics.ts';

export type Phase = 'record' | 'replay';

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly phase: Phase;
  of(sample: RowSample, bare: RowSample): number;
  /** Compared with bare Node of the same round: as a ratio, as a difference, or not at all. */
  readonly as: 'ratio' | 'difference' | 'itself';
  /** Of the harness's median. */
  readonly target?: Target;
}

/** `below`: less than every peer that recorded all calls of the row. */
export type Target = { readonly most: number } | { readonly least: number } | { readonly below: 'peers' };

export interface RowSample extends Sample {
  /** Of a replay: the contract's report. */
  readonly report?: { readonly verdict: string; readonly liveCalls: number; readonly steps: number; readonly durationMs: number; readonly recordedDurationMs: number } | undefined;
  /** Bytes that lie in its folder afterwards. */
  readonly writtenBytes: number;
  /** Of a replay: the recorded run of the same round. */
  readonly recorded?: Sample;
  /** The same variant in the same phase and round, on an empty program. */
  readonly start?: RowSample;
}

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly nodeArgs?: readonly string[];
  readonly full: Size;
  readonly quick: Size;
  /** With the server killed, after all have recorded. */
  readonly replays: boolean;
  /** Beside bare Node and the harness. */
  readonly peers: boolean;
  /** One round takes minutes: bare Node only once, and no targets when it is cut short. */
  readonly long?: true;
  /** An empty program is measured as well, in each round. */
  readonly starts?: boolean;
  /** Database servers that its agent talks to; without them it is left out. */
  readonly needs?: readonly DatabaseName[];
  /** Its calls are LLM calls, and can be counted in what was written. */
  readonly llm?: true;
  readonly figures: readonly Figure[];
}

export interface Size {
  readonly rounds?: number;
  /** Environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

const MB = 1e6;
const figure = (sample: Sample, name: string): number => Number(sample.figures[name]);
const list = (sample: Sample, name: string): number[] => (sample.figures[name] as number[] | undefined) ?? [];
const calls = (full: number, quick: number): { full: Size; quick: Size } => ({ full: { env: { BENCH_CALLS: String(full) } }, quick: { env: { BENCH_CALLS: String(quick) } } });
const micro = (name: string, target?: Target): Figure => ({ name, unit: 'ns', phase: 'record', of: (sample) => figure(sample, name), as: 'ratio', ...(target && { target }) });

const CALLS: Row = {
  id: 'calls', title: '500 sequential LLM calls', agent: 'calls.mjs', ...calls(500, 500), replays: true, peers: true, llm: true,
  figures: [
    { name: 'CPU of the process', unit: 'ms', phase: 'record', of: ({ cpuMs }) => cpuMs, as: 'ratio', target: { most: 1.1 } },
    { name: 'CPU of the loop alone', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio' },
    { name: 'wall of the process', unit: 'ms', phase: 'record', of: ({ wallMs }) => wallMs, as: 'ratio' },
    { name: 'CPU per call', unit: 'µs', phase: 'record', of: (sample) => (figure(sample, 'loopCpuMs') * 1000) / (sample.answers?.of ?? NaN), as: 'difference', target: { below: 'peers' } },
    { name: 'median time of a call', unit: 'µs', phase: 'record', of: (sample) => figure(sample, 'p50Us'), as: 'difference', target: { below: 'peers' } },
    { name: 'written per call', unit: 'bytes', phase: 'record', of: (sample) => sample.writtenBytes / (sample.answers?.of ?? NaN), as: 'itself' },
    { name: 'CPU of the replay', unit: 'ms', phase: 'replay', of: ({ cpuMs }) => cpuMs, as: 'itself' },
    { name: 'wall of the replay, per recorded wall', unit: '', phase: 'replay', of: (sample) => sample.wallMs / (sample.recorded?.wallMs ?? NaN), as: 'itself' },
  ],
};

/** A replay waits for nothing, so that its CPU time is what it takes on a machine that has nothing else to do. */
const EVENTS: Row = {
  id: 'replay', title: 'replay of 500 sequential LLM calls, per event, without start and end', agent: 'calls.mjs', ...calls(500, 500), replays: true, peers: false, starts: true, llm: true,
  figures: [
    { name: 'events', unit: '', phase: 'replay', of: events, as: 'itself' },
    { name: 'CPU per event', unit: 'µs', phase: 'replay', of: (sample) => perEvent(sample, events(sample), 'cpuMs'), as: 'itself', target: { most: 60 } },
    { name: 'of that, what the program itself takes in a bare run', unit: 'µs', phase: 'replay', of: (sample, bare) => perEvent(bare, events(sample), 'cpuMs'), as: 'itself' },
    { name: 'wall per event', unit: 'µs', phase: 'replay', of: (sample) => perEvent(sample, events(sample), 'wallMs'), as: 'itself' },
    { name: 'wall of the command, start and all, per recorded wall', unit: '', phase: 'replay', of: (sample) => sample.wallMs / (sample.recorded?.wallMs ?? NaN), as: 'itself' },
  ],
};

function events({ report, start }: RowSample): number {
  return (report?.steps ?? NaN) - (start?.report?.steps ?? NaN);
}

function perEvent(sample: RowSample, count: number, what: 'cpuMs' | 'wallMs'): number {
  return ((sample[what] - (sample.start?.[what] ?? NaN)) * 1000) / count;
}

const CONCURRENT: Row = {
  id: 'concurrent', title: '100 concurrent fetches', agent: 'concurrent.mjs', ...calls(5000, 2000), replays: true, peers: true, llm: true,
  figures: [
    { name: 'throughput', unit: 'calls/s', phase: 'record', of: (sample) => figure(sample, 'perSecond'), as: 'ratio', target: { least: 0.85 } },
    { name: 'CPU of the loop', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio' },
  ],
};

const MICRO: Row = {
  id: 'micro', title: 'single calls', agent: 'micro.mjs', ...calls(100_000, 50_000), replays: true, peers: false,
  figures: [
    micro('Date.now', { most: 1.5 }), micro('new Date'), micro('performance.now', { most: 1.5 }), micro('process.hrtime'), micro('process.hrtime.bigint'),
    micro('Math.random', { most: 2 }), micro('crypto.randomUUID'), micro('setTimeout + clearTimeout', { most: 1.5 }), micro('setTimeout, fired', { most: 1.5 }), micro('fs.readFileSync'),
  ],
};

const START: Row = {
  id: 'empty', title: 'preload, on an empty program', agent: 'empty.mjs', full: { rounds: 15, env: {} }, quick: { rounds: 7, env: {} }, replays: true, peers: true,
  figures: [
    { name: 'wall', unit: 'ms', phase: 'record', of: ({ wallMs }) => wallMs, as: 'difference', target: { most: 50 } },
    { name: 'CPU', unit: 'ms', phase: 'record', of: ({ cpuMs }) => cpuMs, as: 'difference' },
    { name: 'wall of the replay command', unit: 'ms', phase: 'replay', of: ({ wallMs }) => wallMs, as: 'itself' },
  ],
};

const ONE: Row = {
  id: 'one-fetch', title: 'preload, on an agent that makes one fetch', agent: 'calls.mjs', full: { rounds: 15, env: { BENCH_CALLS: '1' } }, quick: { rounds: 7, env: { BENCH_CALLS: '1' } }, replays: true, peers: true, llm: true,
  figures: [
    { name: 'wall', unit: 'ms', phase: 'record', of: ({ wallMs }) => wallMs, as: 'difference', target: { most: 25 } },
    { name: 'CPU', unit: 'ms', phase: 'record', of: ({ cpuMs }) => cpuMs, as: 'difference' },
    { name: 'resident set', unit: 'MB', phase: 'record', of: (sample) => figure(sample, 'rssMb'), as: 'difference', target: { most: 10 } },
  ],
};

/** Flat is flat by itself: what bare Node gives back in the meantime is no growth of ours. */
const MEMORY: Row = {
  id: 'memory', title: 'memory over many calls', agent: 'memory.mjs', nodeArgs: ['--expose-gc'], replays: false, peers: false, long: true, llm: true,
  full: { rounds: 1, env: { BENCH_CALLS: '100000' } }, quick: { rounds: 1, env: { BENCH_CALLS: '4000' } },
  figures: [
    { name: 'resident set, slope over the second half, per 100,000 calls', unit: 'MB', phase: 'record', of: (sample) => perHundredThousand(sample, 'rssMb'), as: 'itself', target: { most: 10 } },
    { name: 'heap and buffers, slope over the second half, per 100,000 calls', unit: 'MB', phase: 'record', of: (sample) => perHundredThousand(sample, 'heapMb'), as: 'itself', target: { most: 5 } },
    { name: 'resident set at the end', unit: 'MB', phase: 'record', of: (sample) => list(sample, 'rssMb').at(-1) ?? NaN, as: 'difference' },
    { name: 'written', unit: 'MB', phase: 'record', of: ({ writtenBytes }) => writtenBytes / MB, as: 'itself' },
  ],
};

const BODY: Row = {
  id: 'body', title: 'one long streamed body', agent: 'stream-body.mjs', replays: false, peers: false, long: true,
  full: { rounds: 1, env: { BENCH_BYTES: '2000000000' } }, quick: { rounds: 1, env: { BENCH_BYTES: '100000000' } },
  figures: [
    { name: 'resident set, most on the way above the start', unit: 'MB', phase: 'record', of: (sample) => Math.max(...list(sample, 'rssMb')) - figure(sample, 'start'), as: 'difference', target: { most: 50 } },
    { name: 'resident set, slope over the second half, over the whole body', unit: 'MB', phase: 'record', of: (sample) => slope(list(sample, 'rssMb').slice(20)) * 40, as: 'itself', target: { most: 10 } },
    { name: 'wall', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopMs'), as: 'ratio' },
    { name: 'CPU', unit: 'ms', phase: 'record', of: ({ cpuMs }) => cpuMs, as: 'ratio' },
    { name: 'written', unit: 'MB', phase: 'record', of: ({ writtenBytes }) => writtenBytes / MB, as: 'itself' },
  ],
};

function perHundredThousand(sample: Sample, name: string): number {
  const values = list(sample, name);
  const callsPerSample = (sample.answers?.of ?? NaN) / values.length;
  return (slope(values.slice(values.length >> 1)) / callsPerSample) * 100_000;
}

const HTTP: Row = {
  id: 'http', title: 'sequential LLM calls through node:http, its function imported by name', agent: 'http-calls.mjs', ...calls(200, 50), replays: true, peers: true, llm: true,
  figures: [{ name: 'CPU of the loop', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio' }],
};

const PIECES: Row = {
  id: 'pieces', title: 'one streamed answer, its events 15 ms apart: in which pieces it arrives', agent: 'stream-events.mjs', full: { rounds: 3, env: {} }, quick: { rounds: 1, env: {} }, replays: true, peers: true, llm: true,
  figures: [
    { name: 'the first piece is there after', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'firstMs'), as: 'difference' },
    { name: 'pieces when recorded', unit: '', phase: 'record', of: (sample) => list(sample, 'pieces').length, as: 'itself' },
    { name: 'pieces when replayed', unit: '', phase: 'replay', of: (sample) => list(sample, 'pieces').length, as: 'itself' },
  ],
};

/** On a machine that cannot take 200 a second, as many as it takes. */
const SERVICE: Row = {
  id: 'service', title: 'a service under load: 200 requests a second, 20 calls of 40 kB for each', agent: 'service.mjs', replays: false, peers: false, long: true,
  full: { rounds: 1, env: { BENCH_CALLS: '20', BENCH_RATE: '200', BENCH_SECONDS: '60' } }, quick: { rounds: 1, env: { BENCH_CALLS: '20', BENCH_RATE: '200', BENCH_SECONDS: '2' } },
  figures: [
    { name: 'throughput', unit: 'requests/s', phase: 'record', of: (sample) => figure(sample, 'perSecond'), as: 'ratio', target: { least: 0.85 } },
    { name: 'lateness of the loop, 99th percentile', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopP99Ms'), as: 'difference', target: { most: 20 } },
    { name: 'time of an answer, 99th percentile', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'p99Ms'), as: 'ratio' },
    { name: 'CPU of the loop', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio' },
    { name: 'resident set, most on the way', unit: 'MB', phase: 'record', of: (sample) => Math.max(...list(sample, 'rssMb')), as: 'difference', target: { most: 100 } },
    { name: 'written', unit: 'MB', phase: 'record', of: ({ writtenBytes }) => writtenBytes / MB, as: 'itself' },
  ],
};

/** An inbound request by itself: small, and answered at once. */
const INBOUND: Row = {
  id: 'inbound', title: 'a service that answers at once', agent: 'service.mjs', replays: true, peers: false,
  full: { env: { BENCH_CALLS: '0', BENCH_RATE: '100000', BENCH_SECONDS: '0.1' } }, quick: { env: { BENCH_CALLS: '0', BENCH_RATE: '100000', BENCH_SECONDS: '0.03' } },
  figures: [
    { name: 'throughput', unit: 'requests/s', phase: 'record', of: (sample) => figure(sample, 'perSecond'), as: 'ratio', target: { least: 0.85 } },
    { name: 'CPU of the loop', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio' },
  ],
};

const FILES: Row = {
  id: 'files', title: 'files of 4 KB read and written whole', agent: 'files.mjs', ...calls(1000, 300), replays: true, peers: false,
  figures: ['read by promise', 'read synchronously', 'written by promise', 'written synchronously'].map((name): Figure => ({
    name: `${name}, CPU per file`, unit: 'µs', phase: 'record', of: (sample) => figure(sample, name) / ((sample.answers?.of ?? NaN) / 4), as: 'ratio', target: { most: 1.15 },
  })),
};

/** CPU of a loop of one operation, each waited for. */
const loop = (operation: string): readonly Figure[] => [
  { name: 'CPU of the loop', unit: 'ms', phase: 'record', of: (sample) => figure(sample, 'loopCpuMs'), as: 'ratio', target: { most: 1.15 } },
  { name: `CPU per ${operation}`, unit: 'µs', phase: 'record', of: (sample) => (figure(sample, 'loopCpuMs') * 1000) / (sample.answers?.of ?? NaN), as: 'difference' },
  { name: `written per ${operation}`, unit: 'bytes', phase: 'record', of: (sample) => sample.writtenBytes / (sample.answers?.of ?? NaN), as: 'itself' },
];

const POSTGRES: Row = { id: 'postgres', title: 'sequential queries of PostgreSQL through pg, with parameters', agent: 'pg-queries.mjs', ...calls(2000, 500), replays: true, peers: false, needs: ['postgres'], figures: loop('query') };

const CHILDREN: Row = { id: 'children', title: 'children that are run one after the other for what they print', agent: 'children.mjs', ...calls(200, 50), replays: true, peers: false, figures: loop('child') };

const WORKER: Row = { id: 'worker', title: 'round trips to a worker thread', agent: 'worker.mjs', ...calls(3000, 1000), replays: true, peers: false, figures: loop('round trip') };

const WEBSOCKET: Row = { id: 'websocket', title: 'messages on a WebSocket of ws, each answered', agent: 'ws-messages.mjs', ...calls(3000, 1000), replays: true, peers: false, figures: loop('message') };

export const ROWS: readonly Row[] = [CALLS, EVENTS, CONCURRENT, MICRO, ONE, START, PIECES, HTTP, POSTGRES, FILES, CHILDREN, WORKER, WEBSOCKET, INBOUND, MEMORY, BODY, SERVICE];
export const ROUNDS = { full: 7, quick: 3 } as const;

