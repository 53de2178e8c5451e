/**
 * What `--import replay-harness` and `-r replay-harness/require` run, before the agent. Chooses the one bundle that this
 * process needs: a recorded run does not pay for loading what replays.
 */
import { CONTROL } from './control.ts';

const control = process.env[CONTROL];
const replaying = control === undefined ? process.env['REPLAY_HARNESS_MODE'] === 'replay' : control.includes('"mode":"replay"');
require(replaying ? './replay.cjs' : './record.cjs');
