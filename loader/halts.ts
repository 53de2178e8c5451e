/** Opens a partial replay: its debugger's thread, and what stops where. */
import { ENDING, HALTED, READY } from '../src/model/halt.ts';
import { type Answer, type Halting, Halts, OriginSearch } from '../src/replay/halts.ts';
import { Origins } from '../src/replay/origins.ts';
import { jsonStringify, nativeFs } from '../src/runtime/natives.ts';
import type { HaltControl } from './control.ts';
import type { ThreadData } from './debugger-thread.ts';

export interface Opened {
  readonly halts: Halting;
  /** Whether a debugger has stopped the program, so that what runs now is an evaluation of its user's. */
  readonly standsStill: () => boolean;
  /** The program ends: its debuggers leave it, since Node waits for those that do not, and says so. */
  readonly leave: () => void;
}

const { load, notify, store, wait } = Atomics;

export function openHalts({ steps, origins, found, fd }: HaltControl): Opened {
  const trace = new Origins();
  if (found !== undefined) return { halts: new OriginSearch(steps, trace, (map) => nativeFs.writeFileSync(found, jsonStringify(map))), standsStill: () => false, leave: () => {} };
  const flags = new Int32Array(new SharedArrayBuffer(12));
  startThread({ flags: flags.buffer as SharedArrayBuffer, fd, folder: __dirname });
  while (load(flags, READY) === 0) wait(flags, READY, 0);
  const { stopHere } = process.getBuiltinModule('node:module').createRequire(__filename)('./stop.cjs') as typeof import('./stop.ts');
  const leave = (): void => {
    if (load(flags, ENDING) !== 0) return;
    store(flags, ENDING, 1);
    notify(flags, ENDING);
    while (load(flags, ENDING) === 1) wait(flags, ENDING, 1);
  };
  return { leave, halts: new Halts({ steps, origins, trace, stop: (told) => stopHere(told) as Answer }), standsStill: () => load(flags, HALTED) === 1 };
}

function startThread(data: ThreadData): void {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const thread = new Worker(`${__dirname}/debugger-thread.cjs`, { workerData: data, execArgv: [], env: {}, stdin: false, stdout: true, stderr: true });
  thread.unref();
}
