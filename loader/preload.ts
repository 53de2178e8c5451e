/**
 * What `--import replay-harness` and `-r replay-harness/require` run, before the agent. Chooses the one bundle that this
 * process needs: a recorded run does not pay for loading what replays.
 */
import { CONTROL } from './control.ts';

const control = process.env[CONTROL];
const replaying = control === undefined ? process.env['REPLAY_HARNESS_MODE'] === 'replay' : control.includes('"mode":"replay"');
require(replaying ? './replay.cjs' : './record.cjs');

// The program sees no module that it has not loaded.
const { _cache, _pathCache } = process.getBuiltinModule('node:module') as unknown as Record<string, Record<string, unknown>>;
for (const path of Object.keys(_cache ?? {})) if (path.startsWith(`${__dirname}/`)) delete _cache?.[path];
for (const [request, path] of Object.entries(_pathCache ?? {})) if (String(path).startsWith(`${__dirname}/`)) delete _pathCache?.[request];
