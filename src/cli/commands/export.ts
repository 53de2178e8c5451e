/** `export <run>`: one file to hand to somebody else. */
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isRecipient, recipientOf } from '../../journal/crypto.ts';
import { encodeBundle } from '../../export/bundle/container.ts';
import { exactEntry, standInEntry } from '../../export/bundle/make.ts';
import { toHar } from '../../export/har.ts';
import { toHtml } from '../../export/html.ts';
import { toJsonLines } from '../../export/jsonl.ts';
import { toOtel } from '../../export/otel.ts';
import type { ReadableRun } from '../../export/readable-run.ts';
import { type MaskedRun, maskRuns, type RecordedRun } from '../../export/stand-ins.ts';
import { ConfigError, StoreUnavailableError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { identities, recipients } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { oneRun, parse } from '../arguments.ts';
import { VERSION } from '../help.ts';
import { interpretLanes } from '../interpreted.ts';
import { sizeText } from '../leaving.ts';
import { fetchBelow, findRun } from '../stores.ts';

const FORMATS = { bundle: 'replay', jsonl: 'jsonl', otel: 'otel.json', har: 'har', html: 'html' } as const;
type Format = keyof typeof FORMATS;

export async function exportRun(args: readonly string[]): Promise<number> {
  const parsed = parse('export', args, { format: { type: 'string' }, output: { type: 'string' }, recipient: { type: 'string', multiple: true }, 'with-secrets': { type: 'boolean' } }, { server: true });
  const format = formatOf(parsed.values['format'] as string | undefined);
  const withSecrets = parsed.values['with-secrets'] === true;
  const given = parsed.values['recipient'] as string[] | undefined;
  const wrong = given?.find((key) => !isRecipient(key));
  if (wrong !== undefined) throw new ConfigError(`--recipient takes a public key, which begins with rh-recipient- (replay-harness keys shows yours), not "${wrong.slice(0, 40)}".`);
  if (withSecrets && format !== 'bundle') throw new ConfigError(`--with-secrets goes with --format bundle, which is sealed to a recipient; a file of format ${format} can be read by anybody.`);
  if (given && !withSecrets) throw new ConfigError('--recipient goes with --with-secrets: without secrets a bundle is for anybody.');
  const run = await findRun(parsed, oneRun('export', parsed));
  await fetchBelow(parsed, run.manifest.id);
  const tree = [run];
  for (const child of below(parsed.store, run.manifest.id)) tree.push(await findRun(parsed, child));
  const going = tree.find(({ status }) => status === 'recording');
  if (going) throw new ConfigError(`run ${going.manifest.id} is still being recorded. Export it when it has ended.`);
  const file = (parsed.values['output'] as string | undefined) ?? `${run.manifest.id}.${FORMATS[format]}`;
  const config = loadConfig(process.env, process.cwd());
  const what = `run ${run.manifest.id}${tree.length > 1 ? ` and ${tree.length - 1} below it` : ''}`;
  if (withSecrets) {
    const to = given ?? recipients(process.env, config.recipient);
    const bytes = exactBundle(parsed.store, tree, to);
    write(file, bytes, 0o600);
    say(file, `wrote ${file} (${sizeText(bytes.length)}): ${what}, exactly as recorded, with its secrets, sealed to ${to.map(shortened).join(', ')}`);
    return 0;
  }
  const masked = maskRuns(tree.map((one) => recordedRun(parsed.store, one)), config.mask);
  const bytes = format === 'bundle' ? standInBundle(masked) : Buffer.from(WRITERS[format](masked.map(readable), VERSION));
  write(file, bytes, 0o644);
  const left = masked.flatMap(({ underivable }) => underivable);
  say(file, `wrote ${file} (${sizeText(bytes.length)}): ${what}, with stand-ins for its secrets${format === 'bundle' && left.length > 0 ? `. A replay on stand-ins cannot derive: ${left.slice(0, NAMED).map(({ event, what: value }) => `${value} (step ${event})`).join('; ')}${left.length > NAMED ? `; and ${left.length - NAMED} more` : ''}` : ''}`);
  return 0;
}

/** More would hide the line's end. */
const NAMED = 3;

const WRITERS: Readonly<Record<Exclude<Format, 'bundle'>, (runs: readonly ReadableRun[], version: string) => string>> = { jsonl: toJsonLines, otel: toOtel, har: toHar, html: toHtml };

function say(file: string, line: string): void {
  if (file !== '-') process.stderr.write(`replay-harness: ${line}\n`);
}

/** @throws ConfigError where there is nothing in it */
function recordedRun(store: EmbeddedStore, run: StoredRun): RecordedRun {
  const readers = identities(process.env);
  const { events, runKey } = store.tape(run, readers);
  const others = store.lanes(run, readers);
  if (events.length === 0 || !runKey) throw new ConfigError(`run ${run.manifest.id} ended before its first event: there is nothing to export.`);
  const open = new Set(store.segments(run).filter(({ sealed }) => !sealed).map(({ header }) => header.lane));
  return { manifest: run.manifest, runKey, lanes: [{ lane: 0, events }, ...others].map(({ lane, events: own }) => ({ lane, events: own, sealed: !open.has(lane) })) };
}

function standInBundle(runs: readonly MaskedRun[]): Buffer {
  return encodeBundle({ content: 'stand-ins', run: (runs[0] as MaskedRun).manifest.id, madeBy: `replay-harness ${VERSION}` }, runs.map(({ manifest, lanes, runKey, underivable }) => standInEntry(manifest, lanes, runKey as Buffer, underivable)));
}

function readable({ manifest, runKey, lanes: [main, ...others] }: MaskedRun): ReadableRun {
  const { id, parentRunId, name, agent, exitCode, signal, startedAt, node, tags } = manifest;
  const interpreted = interpretLanes(main?.events ?? [], others.map(({ lane, events, sealed }) => ({ lane, events: [...events], complete: sealed })), runKey);
  const [begin] = interpreted.events;
  const command = begin?.type === 'begin' ? [begin.facts.argv0, ...begin.facts.execArgv, ...begin.facts.argv.slice(1)] : [];
  const durationMs = manifest.durationMs ?? Math.round((interpreted.events.at(-1)?.at ?? 0) / 1000);
  return {
    id, parentRunId, name, agent, command, status: manifest.status === 'complete' ? 'complete' : 'truncated', exitCode, signal, startedAt, durationMs, node, tags,
    lanes: [{ lane: 0, events: interpreted.events, steps: interpreted.steps }, ...interpreted.lanes],
  };
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

/** All of it or nothing; folders on the way to it are made. @throws StoreUnavailableError */
function write(file: string, bytes: Uint8Array, mode: number): void {
  if (file === '-') return void process.stdout.write(bytes);
  const draft = `${file}.${process.pid}.new`;
  try {
    // A device or a pipe takes the bytes: a file in the place of /dev/null would be everybody's.
    if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? true)) return writeFileSync(file, bytes);
    makeFolder(dirname(resolve(file)), 0o777);
    writeFileSync(draft, bytes, { mode });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new StoreUnavailableError(`${file} cannot be written: ${(error as Error).message}. --output takes the path of a file, or - for standard output.`);
  }
}
