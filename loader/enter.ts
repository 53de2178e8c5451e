/** The way into a process: decides whether it is one to record or replay at all, and shows errors that a user can cause. */
import { isMainThread } from 'node:worker_threads';
import { ConfigError, HarnessError, UnsupportedRuntimeError } from '../src/model/error.ts';
import { binding } from '../src/runtime/bindings.ts';
import { nativeFs, processEnv, reallyExit } from '../src/runtime/natives.ts';
import { type Control, takeControl } from './control.ts';
import { noteRefusal } from './refusal.ts';
import { isLauncher } from './launchers.ts';

const LOADED = Symbol.for('replay-harness.loaded');
const MODES = ['record', 'replay', 'off'];

/** @param open installs the mode's session @param openLane does so in a worker thread */
export function enter(open: (control: Control | undefined) => void, openLane?: () => void): void {
  if (isLoaded()) return;
  if (!isMainThread) return openLane?.();
  let control: Control | undefined;
  try {
    const mode = processEnv['REPLAY_HARNESS_MODE'] ?? 'record';
    if (!MODES.includes(mode)) throw new ConfigError(`REPLAY_HARNESS_MODE is "${mode}"; it takes ${MODES.join(', ')}.`);
    if (mode === 'off') return void takeControl(processEnv);
    if (isLauncher(process.argv[1], process.execArgv)) return;
    control = takeControl(processEnv);
    checkRuntime();
    open(control);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    // A recorded program's child is not the user's command: it runs on unseen.
    if (control?.parent !== undefined && control.mode === 'record') return;
    noteRefusal(control, error);
    nativeFs.writeSync(2, `replay-harness: ${error.message}\n`);
    reallyExit(error.exitCode);
  }
}

/** Both preloads, and both copies of the package, may be asked for: the first one counts. Marked where no program looks. */
function isLoaded(): boolean {
  const place = binding('fs');
  if (LOADED in place) return true;
  Object.defineProperty(place, LOADED, { value: true });
  return false;
}

function checkRuntime(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (process.platform === 'win32') throw new UnsupportedRuntimeError('Windows is not supported. Run the agent on Linux (WSL and Docker do).');
  if (major < 20 || (major === 20 && minor < 20)) throw new UnsupportedRuntimeError(`Node ${process.version} is not supported; replay-harness needs 20.20 or newer.`);
}
