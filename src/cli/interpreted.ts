/** A run as its steps: those of the main thread, and those of each worker thread. */
import { getHeapStatistics } from 'node:v8';
import { TooLargeError } from '../model/error.ts';
import type { LaneEvent, WorkerFacts } from '../model/event.ts';
import { interpret, type Step } from '../steps/classify.ts';
import { clocksOf, workerOf } from '../steps/lanes.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { bytesOf } from '../store/retention/trees.ts';
import type { Lane, StoredRun } from '../store/run-store.ts';
import { randomOf } from './random.ts';

/** Of a journal; measured with long texts, which need the most. */
const HEAP_PER_BYTE = 3;

/** A worker thread's part of a run. */
export interface InterpretedLane {
  readonly lane: number;
  /** Absent where the recording ended before the thread's first event. */
  readonly worker?: WorkerFacts;
  /** Sealed after the thread's regular end. */
  readonly complete: boolean;
  readonly events: readonly LaneEvent[];
  readonly steps: readonly Step[];
}

export interface Interpreted {
  readonly events: readonly LaneEvent[];
  /** Of this run only; undefined where nothing was read yet. */
  readonly runKey: Buffer | undefined;
  readonly steps: readonly Step[];
  readonly lanes: readonly InterpretedLane[];
}

/** @throws TooLargeError where the heap would not do; then nothing was read */
export function interpretRun(store: EmbeddedStore, run: StoredRun, identities: readonly string[]): Interpreted {
  requireRoom(run.manifest.id, bytesOf(store.folderOf(run.manifest.id)));
  const { events, runKey } = store.tape(run, identities);
  return interpretLanes(events, store.lanes(run, identities), runKey);
}

/** Out of memory, Node ends the process amid its work, with a stack trace of its own. */
function requireRoom(id: string, bytes: number): void {
  const heap = getHeapStatistics().heap_size_limit;
  const needed = bytes * HEAP_PER_BYTE;
  if (needed <= heap) return;
  const megabytes = (size: number): number => Math.ceil(size / 2 ** 20);
  throw new TooLargeError(`Run ${id} has ${megabytes(bytes)} MB of recorded data: the steps in it cannot be worked out within ${megabytes(heap)} MB, all that Node has for objects here. Give it more: NODE_OPTIONS=--max-old-space-size=${megabytes(needed)} replay-harness … (replay needs none of that)`);
}

export function interpretLanes(events: readonly LaneEvent[], lanes: readonly Lane[], runKey: Buffer | undefined): Interpreted {
  const clocks = clocksOf([{ lane: 0, events }, ...lanes]);
  const stepsOf = (lane: number, own: readonly LaneEvent[]): Step[] => interpret(own, { random: randomOf, clock: lanes.length > 0 ? clocks.get(lane) : undefined });
  return {
    events,
    runKey,
    steps: stepsOf(0, events),
    lanes: lanes.map(({ lane, events: own, complete }) => {
      const worker = workerOf({ lane, events: own });
      return { lane, ...(worker && { worker }), complete, events: own, steps: stepsOf(lane, own) };
    }),
  };
}
