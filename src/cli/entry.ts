#!/usr/bin/env node
/** Starts the command line out of its packs. The code that a verb compiled is kept beside them, as that of the preload's bundles is. */
import { keepCompiled, load, takeKept } from './packs.ts';

interface CommandLine {
  readonly VERBS: readonly string[];
  readonly run: (args: readonly string[]) => Promise<void>;
}

const [, , verb = ''] = process.argv;
if (/^[a-z]+$/.test(verb)) takeKept(verb);
const { VERBS, run } = load('./main.mjs') as CommandLine;
process.once('exit', () => {
  // Under options of its own, V8 would take none of it the next time.
  if (!VERBS.includes(verb) || process.execArgv.length > 0 || process.env['NODE_OPTIONS']) return;
  try {
    keepCompiled();
  } catch {
    // Not ours to write: the next start compiles as this one did.
  }
});
await run(process.argv.slice(2));
