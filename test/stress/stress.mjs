// Many rounds of every agent, as a table; exit code 1 on any difference.
//
//   node test/stress/stress.mjs [--rounds N] [--replays N] [--busy] [--kills N] [--keep] [AGENT…]
//
// --rounds: default 20, and 100 of everything.mjs. --replays: of each recording, default 1. --busy: two more processes keep both cores busy. --kills: kill -9 at N moments.
// --keep: the table goes to test/stress/results too.
import { register } from 'node:module';

register('./typescript-hook.mjs', import.meta.url);
const { default: setup } = await import('../support/global-setup.ts');
const { stress } = await import('./stress.ts');
setup();
process.exitCode = await stress(process.argv.slice(2));
