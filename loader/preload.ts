/**
 * What `--import replay-harness` and `-r replay-harness/require` run, before the agent. Chooses the one bundle that this
 * process needs: a recorded run does not pay for loading what replays.
 */
import { LANE } from '../src/model/lane.ts';
import { loadBundle } from './bundle.ts';
import { type Control, CONTROL, takeControl } from './control.ts';

const { isMainThread, getEnvironmentData } = process.getBuiltinModule('node:worker_threads');
const control = process.env[CONTROL];
const replaying = control === undefined ? process.env['REPLAY_HARNESS_MODE'] === 'replay' : control.includes('"mode":"replay"');
// Threads of the runtime, and those of a replay, are none of the run's.
const isNobodys = !isMainThread && getEnvironmentData(LANE) === undefined;
// Node's permission model denies the bindings on which everything else here stands.
if (isMainThread && (process as { permission?: unknown }).permission) refuse();
else if (!isNobodys) loadBundle(isMainThread && replaying ? 'replay' : 'record', control?.includes('"compileTo":') ? (JSON.parse(control) as Control).compileTo : undefined);

// The program sees no module that it has not loaded.
const { _cache, _pathCache } = process.getBuiltinModule('node:module') as unknown as Record<string, Record<string, unknown>>;
for (const path of Object.keys(_cache ?? {})) if (path.startsWith(`${__dirname}/`)) delete _cache?.[path];
for (const [request, path] of Object.entries(_pathCache ?? {})) if (String(path).startsWith(`${__dirname}/`)) delete _pathCache?.[request];

/** A recorded program runs on as if there were no harness; a replay would be a live run. */
function refuse(): void {
  const line = `this run is not ${replaying ? 'replayed' : 'recorded'}: Node's permission model (--permission) denies what that needs. Run the program without it.`;
  const taken = takeControl(process.env);
  // A recorded program's child says nothing that it would not say.
  if (taken?.parent !== undefined && !replaying) return;
  const refusal = taken?.refusal;
  const fs = process.getBuiltinModule('node:fs');
  if (replaying || process.env['REPLAY_HARNESS_LOG'] !== 'silent') fs.writeSync(2, `replay-harness: ${line}\n`);
  try {
    if (refusal !== undefined) fs.writeFileSync(refusal, '');
  } catch {
    // The program may not write: the command line will say that nothing was recorded, and that is true.
  }
  if (replaying) process.exit(1);
}
