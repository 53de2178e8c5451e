/** Decides what this process is (launcher, recording, replay) and puts the parts together. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { ConfigError, UnsupportedRuntimeError } from '../src/model/error.ts';
import { processEnv } from '../src/runtime/natives.ts';
import { takeControl } from './control.ts';
import { isLauncher } from './launchers.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';
import { warmInternals } from './warm.ts';

const MODES = ['record', 'replay', 'off'];

/** @throws HarnessError for everything that a user can cause */
export function openSession(): void {
  const mode = processEnv['REPLAY_HARNESS_MODE'] ?? 'record';
  if (!MODES.includes(mode)) throw new ConfigError(`REPLAY_HARNESS_MODE is "${mode}"; it takes ${MODES.join(', ')}.`);
  if (mode === 'off' || isLauncher(process.argv[1])) return;
  checkRuntime();
  const control = takeControl(processEnv);
  if ((control?.mode ?? mode) === 'replay') {
    const { session, start } = replay(control);
    installBoundaries(session, warmInternals);
    start();
  } else {
    const session = record(control);
    if (session) installBoundaries(session, warmInternals);
  }
}

function checkRuntime(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (process.platform === 'win32') throw new UnsupportedRuntimeError('Windows is not supported. Run the agent on Linux (WSL and Docker do).');
  if (major < 20 || (major === 20 && minor < 20)) throw new UnsupportedRuntimeError(`Node ${process.version} is not supported; replay-harness needs 20.20 or newer.`);
}
