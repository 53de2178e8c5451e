/** `export <run>`: one file to hand to somebody else. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRecipient, recipientOf } from '../../journal/crypto.ts';
import { encodeBundle } from '../../export/bundle/container.ts';
import { exactEntry } from '../../export/bundle/make.ts';
import { ConfigError, StoreUnavailableError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { identities, recipients } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { findHere } from '../archived.ts';
import { oneRun, parse } from '../arguments.ts';
import { VERSION } from '../help.ts';

const FORMATS = { bundle: 'replay', jsonl: 'jsonl', otel: 'otel.json', har: 'har', html: 'html' } as const;
type Format = keyof typeof FORMATS;

export async function exportRun(args: readonly string[]): Promise<number> {
  const parsed = parse('export', args, { format: { type: 'string' }, output: { type: 'string' }, recipient: { type: 'string', multiple: true }, 'with-secrets': { type: 'boolean' } });
  const format = formatOf(parsed.values['format'] as string | undefined);
  const withSecrets = parsed.values['with-secrets'] === true;
  const given = parsed.values['recipient'] as string[] | undefined;
  const wrong = given?.find((key) => !isRecipient(key));
  if (wrong !== undefined) throw new ConfigError(`--recipient takes a public key, which begins with rh-recipient- (replay-harness keys shows yours), not "${wrong.slice(0, 40)}".`);
  if (withSecrets && format !== 'bundle') throw new ConfigError(`--with-secrets goes with --format bundle, which is sealed to a recipient; a file of format ${format} can be read by anybody.`);
  if (given && !withSecrets) throw new ConfigError('--recipient goes with --with-secrets: without secrets a bundle is for anybody.');
  const run = await findHere(parsed, oneRun('export', parsed));
  const tree = [run];
  for (const child of below(parsed.store, run.manifest.id)) tree.push(await findHere(parsed, child));
  const going = tree.find(({ status }) => status === 'recording');
  if (going) throw new ConfigError(`run ${going.manifest.id} is still being recorded. Export it when it has ended.`);
  const file = (parsed.values['output'] as string | undefined) ?? `${run.manifest.id}.${FORMATS[format]}`;
  const to = given ?? recipients(process.env, loadConfig(process.env, process.cwd()).recipient);
  const bytes = exactBundle(parsed.store, tree, to);
  write(file, bytes, 0o600);
  if (file !== '-') process.stderr.write(`replay-harness: wrote ${file} (${bytes.length} bytes): run ${run.manifest.id}${tree.length > 1 ? ` and ${tree.length - 1} below it` : ''}, exactly as recorded, with its secrets, sealed to ${to.map(shortened).join(', ')}\n`);
  return 0;
}

/** @throws ConfigError */
function formatOf(given: string = 'bundle'): Format {
  if (!Object.hasOwn(FORMATS, given)) throw new ConfigError(`--format takes ${Object.keys(FORMATS).join(', ')}, not "${given}".`);
  return given as Format;
}

/** Ids of the runs below one, each before those below it. */
function below(store: EmbeddedStore, id: string): string[] {
  const all = store.list().reverse();
  const idsBelow = (parent: string): string[] => all.filter(({ manifest }) => manifest.parentRunId === parent).flatMap(({ manifest }) => [manifest.id, ...idsBelow(manifest.id)]);
  return idsBelow(id);
}

function exactBundle(store: EmbeddedStore, runs: readonly StoredRun[], to: readonly string[]): Buffer {
  const readers = identities(process.env);
  const entries = runs.map((run) => {
    const { runKey } = store.tape(run, readers);
    if (!runKey) throw new ConfigError(`run ${run.manifest.id} ended before its first event: there is nothing to export.`);
    return exactEntry(run.manifest, store.segments(run), runKey, to);
  });
  return encodeBundle({ content: 'exact', run: (runs[0] as StoredRun).manifest.id, madeBy: `replay-harness ${VERSION}` }, entries);
}

function shortened(recipient: string): string {
  return identities(process.env).some((identity) => recipientOf(identity) === recipient) ? 'you' : `${recipient.slice(0, 22)}…`;
}

/** All of it or nothing. @throws StoreUnavailableError */
function write(file: string, bytes: Uint8Array, mode: number): void {
  if (file === '-') return void process.stdout.write(bytes);
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, bytes, { mode });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new StoreUnavailableError(`${file} cannot be written: ${(error as Error).message}. --output takes the path of a file, in a folder that exists, or - for standard output.`);
  }
}
