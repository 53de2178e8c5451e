// Replays agents of the catalogue by meaning, on every Node version whatever version recorded them; exit code 1 on any difference.
//
//   node test/stress/semantic.mjs [--rounds N] [--from 20,24] [--to 22,26] AGENT…
import { register } from 'node:module';

register('./typescript-hook.mjs', import.meta.url);
const { default: setup } = await import('../support/global-setup.ts');
const { stressByMeaning } = await import('./semantic.ts');
setup();
process.exitCode = await stressByMeaning(process.argv.slice(2));
