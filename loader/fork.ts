/** Opens a fork: the journal of the new run, and the thread through which its connections lead out. */
import type { MessagePort } from 'node:worker_threads';
import { sealKey } from '../src/journal/crypto.ts';
import { JournalWriter } from '../src/journal/writer.ts';
import type { LaneEvent, RunFacts } from '../src/model/event.ts';
import { ForkSession } from '../src/replay/fork/fork-session.ts';
import { Order } from '../src/replay/fork/order.ts';
import { type Peer, type Received, World } from '../src/replay/fork/world.ts';
import type { Ending, ReplaySession } from '../src/replay/replay-session.ts';
import { apply, jsonParse, jsonStringify, nativeCrypto } from '../src/runtime/natives.ts';
import type { ForkControl } from './control.ts';
import type { ThreadData } from './peer-thread.ts';

interface Origin {
  readonly facts: RunFacts;
  readonly events: readonly LaneEvent[];
  readonly finish: (ending: Ending, forked: Forked) => void;
}

/** The new run. */
export interface Forked {
  readonly run: string;
  readonly liveCalls: number;
  /** Of a program that came to its end. */
  readonly exitCode?: number;
}

export interface Fork {
  readonly forks: (due: LaneEvent) => boolean;
  readonly session: (replay: ReplaySession) => ForkSession;
}

export function openFork({ at, run, folder, recipients, fd, swap, survives }: ForkControl, { facts, events, finish }: Origin): Fork {
  const peer = openPeer(fd);
  let session: ForkSession | undefined;
  const begin = (taken: ReturnType<ReplaySession['handOver']>, unrefed: ReadonlySet<number>): World => {
    const runKey = nativeCrypto.randomBytes(32);
    const journal = new JournalWriter({ folder, run, lane: 0, runKey, keys: recipients.map((recipient) => sealKey(runKey, recipient)), onLost: () => {} });
    const [, ...rest] = events.slice(0, taken.from);
    journal.copy([{ type: 'begin', seq: 0, at: 0, facts: { ...facts, runId: run } }, ...rest]);
    journal.flush();
    const ending = (verdict: Ending['verdict'], blocked: readonly string[]): Ending => ({ verdict, divergence: undefined, blocked, steps: journal.seq, changedCode: [] });
    return new World({
      taken, unrefed, events, startedAt: facts.startedAt, journal, peer, order: new Order(swap), survives,
      refused: (what) => {
        finish(ending('blocked', [what]), { run, liveCalls: 0 });
        throw new Error(what);
      },
      ended: (exitCode, liveCalls, refused) => finish(ending(refused.length > 0 ? 'blocked' : 'identical', refused), { run, liveCalls, exitCode }),
    });
  };
  return {
    forks: (due) => {
      if (due.seq < at) return false;
      session?.leave();
      return true;
    },
    session: (replay) => (session = new ForkSession(replay, at, begin)),
  };
}

function openPeer(fd: number): Peer {
  const { MessageChannel, Worker, receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  // What the program's own ports do is patched later.
  const post = Reflect.get(port1, 'postMessage') as MessagePort['postMessage'];
  const data: ThreadData = { fd, port: port2 };
  new Worker(`${__dirname}/peer-thread.cjs`, { workerData: data, transferList: [port2], execArgv: [], env: {}, stdin: false, stdout: true, stderr: true }).unref();
  port1.unref();
  return {
    send: (message) => void apply(post, port1, [jsonStringify(message)]),
    receive: () => {
      const received: Received[] = [];
      for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1)) received.push(jsonParse(next.message as string) as Received);
      return received;
    },
  };
}
