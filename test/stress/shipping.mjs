// What goes wrong between a recorded program and its server: who ships is killed at random moments while several programs
// record, the server is stopped, has no connection left, no disk, another password. Nothing is lost, nothing is there twice,
// and the program sees nothing of it. Exit code 1 on any difference.
//
//   node test/stress/shipping.mjs [--kills N] [--agents N] [--keep] [FAULT…]
//
// --kills: of each who ships, default 50. --agents: programs at a time, default 3. --keep: the table goes to test/stress/results.
import { register } from 'node:module';

register('./typescript-hook.mjs', import.meta.url);
const { default: setup } = await import('../support/global-setup.ts');
const { stressShipping } = await import('./shipping.ts');
setup();
process.exitCode = await stressShipping(process.argv.slice(2));
