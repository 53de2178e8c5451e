/** Lanes of worker threads: each records into a journal of its own, beside that of the main thread. */
import type { Propagate } from '../src/capture/boundaries/children.ts';
import { RecordSession } from '../src/capture/record-session.ts';
import type { Lanes } from '../src/capture/session.ts';
import { ThreadPrints } from '../src/capture/thread-prints.ts';
import type { SealedKey } from '../src/journal/format.ts';
import { JournalWriter } from '../src/journal/writer.ts';
import type { RunFacts, WorkerFacts } from '../src/model/event.ts';
import { LANE } from '../src/model/lane.ts';
import { bufferFrom } from '../src/runtime/natives.ts';
import { gatherFacts, type Identification } from './facts.ts';
import { propagation, type Recording as ChildRecording } from './propagate.ts';

/** What a thread needs to record a lane. The key goes from memory to memory. */
interface Recording {
  readonly folder: string;
  readonly run: Identification;
  readonly lane: number;
  /** Counts the lanes of the run, in all threads. */
  readonly lanes: SharedArrayBuffer;
  /** Of {@link ThreadPrints}; of the main thread, not before it makes a thread. */
  readonly prints?: SharedArrayBuffer;
  readonly runKey: Uint8Array;
  readonly keys: readonly SealedKey[];
  /** Threads of the harness itself. */
  readonly ownThreads: number;
  /** For processes that the thread starts. */
  readonly children: ChildRecording;
}

interface LaneControl extends Recording {
  readonly worker: Omit<WorkerFacts, 'threadId'>;
  /** `process.execArgv` as the program would see it; undefined: as it is. */
  readonly execArgv: readonly string[] | undefined;
}

const PRELOAD: string = `${__dirname}/preload.cjs`;
const { add } = Atomics;

export function lanesOf(recording: Recording): Lanes {
  const count = new Int32Array(recording.lanes);
  let prints = recording.prints && new ThreadPrints(recording.prints);
  return {
    preload: PRELOAD,
    shownArgv: undefined,
    ownThreads: recording.ownThreads,
    isThread: recording.lane !== 0,
    get prints() {
      return prints;
    },
    next(worker): LaneControl {
      prints ??= new ThreadPrints();
      return { ...recording, prints: prints.memory, lane: add(count, 0, 1) + 1, worker: { parentLane: recording.lane, ...worker }, execArgv: this.shownArgv };
    },
  };
}

/** Begins the lane of this thread. @returns undefined where it is none of a recorded run */
export function recordLane(): { readonly session: RecordSession; readonly facts: RunFacts; readonly propagate: Propagate } | undefined {
  const control = takeLane();
  if (!control) return undefined;
  if (control.execArgv) process.execArgv = [...control.execArgv];
  const { folder, run, lane, keys } = control;
  const threads = process.getBuiltinModule('node:worker_threads') as { threadId: number };
  threads.threadId -= control.ownThreads;
  const facts = { ...gatherFacts(run), lane, worker: { ...control.worker, threadId: threads.threadId } };
  // Nothing is said of a lane: the run can be replayed without it.
  const journal = new JournalWriter({ folder, run: run.runId, lane, runKey: bufferFrom(control.runKey), keys, onLost: () => {} });
  journal.begin(facts);
  journal.flush();
  const session = new RecordSession(journal, facts.seed, () => {}, () => {}, lanesOf(control));
  return { session, facts, propagate: propagation(control.children, lane) };
}

function takeLane(): LaneControl | undefined {
  const { getEnvironmentData, setEnvironmentData } = process.getBuiltinModule('node:worker_threads');
  const control = getEnvironmentData(LANE) as unknown as LaneControl | undefined;
  if (control) setEnvironmentData(LANE);
  return control;
}
