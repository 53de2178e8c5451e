/** `import FILE`: a bundle's runs into this store. Everything is checked before anything is written; nothing is run. */
import { readFileSync, statSync } from 'node:fs';
import { isSame, takeBundle } from '../../export/bundle/take.ts';
import { ConfigError } from '../../model/error.ts';
import { diskCap } from '../../model/retention.ts';
import { payloadOf } from '../../store/absent.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { type IncomingRun, placeRun } from '../../store/intake.ts';
import { identities, recipients } from '../../store/keyring.ts';
import { isServer } from '../../store/location.ts';
import { parse } from '../arguments.ts';
import { helpFor } from '../help.ts';

export async function importBundle(args: readonly string[]): Promise<number> {
  const { values, positionals: [file, ...more], command, store, location } = parse('import', args, { json: { type: 'boolean' } }, { server: true });
  if (file === undefined || more.length > 0 || command) throw new ConfigError(`import takes one file.\n\n${helpFor('import')}`);
  const config = loadConfig(process.env, process.cwd());
  const { header, runs } = takeBundle(file, read(file), { identities: identities(process.env), recipients: recipients(process.env, config.recipient), most: diskCap(config.limits), now: new Date().toISOString() });
  const isNew = isServer(location) ? await (await import('../import-to-server.ts')).takeIn(location, store, runs, config) : placeAll(store, runs);
  const placed = runs.filter((_, index) => isNew[index]).map(({ manifest }) => manifest.id);
  const already = runs.filter((_, index) => !isNew[index]).map(({ manifest }) => manifest.id);
  if (values['json']) process.stdout.write(`${JSON.stringify({ run: header.run, content: header.content, imported: placed, already }, null, 2)}\n`);
  else process.stdout.write(`${said({ run: header.run, content: header.content, captured: runs.find(({ manifest }) => manifest.id === header.run)?.manifest.captured }, placed, already)}\n`);
  return 0;
}

/** @returns which were new @throws ConfigError when another run of an id is there: nothing was written then */
function placeAll(store: EmbeddedStore, runs: readonly IncomingRun[]): boolean[] {
  const isNew = runs.map((run) => !isHere(store, run));
  for (const [index, run] of runs.entries()) if (isNew[index]) placeRun(store, run);
  return isNew;
}

function said({ run, content, captured }: { readonly run: string; readonly content: string; readonly captured: 'proxy' | undefined }, placed: readonly string[], already: readonly string[]): string {
  const others = placed.length + already.length - 1;
  const below = others === 0 ? '' : `, and ${others} child run${others === 1 ? '' : 's'}`;
  if (placed.length === 0) return `run ${run}${below} is in the store already: nothing was changed`;
  const how = content === 'exact' ? 'exactly as recorded' : 'with stand-ins for its secrets';
  const next = captured === undefined ? `Replay it with your copy of the code: replay-harness replay ${run.slice(0, 13)} -- node PATH` : `It was recorded through the proxy; have your copy of the program answered: replay-harness serve ${run.slice(0, 13)} -- CMD`;
  return `imported run ${run}${below} (${how}). ${next}`;
}

/** @throws ConfigError */
function read(file: string): Buffer {
  try {
    if (!statSync(file).isFile()) throw new Error('it is no file');
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`import: ${file} cannot be read: ${(error as Error).message}. It takes the file that replay-harness export wrote.`);
  }
}

/** @throws ConfigError when another run of that id is */
function isHere(store: EmbeddedStore, incoming: IncomingRun): boolean {
  const { id } = incoming.manifest;
  const here = store.list().find(({ manifest }) => manifest.id === id);
  if (!here) return false;
  if (here.damage) throw here.damage;
  if (payloadOf(here.manifest) === 'here' && isSame(store.segments(here), incoming)) return true;
  const { imported, gone } = here.manifest;
  if (gone && (imported || gone.why !== 'erased')) return false;
  const which = gone ? 'it was erased on purpose' : imported ? `an import of ${imported.at} (${imported.content})` : 'the recording itself';
  throw new ConfigError(`import: run ${id} is in the store already, with other contents: ${which}. Import it into another store (--store FOLDER)${imported ? `, or take that one away first: replay-harness prune --erase ${id}` : ''}.`);
}
