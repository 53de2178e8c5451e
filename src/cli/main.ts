/** The command line: one file per verb, one place for errors and exit codes. */
import { existsSync } from 'node:fs';
import { compiledFile } from '../model/compiled.ts';
import { HarnessError } from '../model/error.ts';
import { DIST } from './package-files.ts';
import { HELP, helpFor, VERSION } from './help.ts';
import { closeStores } from './stores.ts';

type Command = (args: readonly string[]) => Promise<number> | number;

/** Each in a file that is loaded for it alone: `replay` needs no search, and nobody but an archive the client of S3. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  record: async () => (await import('./commands/record.ts')).record,
  replay: async () => (await import('./commands/replay.ts')).replay,
  fork: async () => (await import('./commands/fork.ts')).fork,
  verify: async () => (await import('./commands/verify.ts')).verify,
  gate: async () => (await import('./commands/gate.ts')).gate,
  serve: async () => (await import('./commands/serve.ts')).serve,
  runs: async () => (await import('./commands/runs.ts')).runs,
  show: async () => (await import('./commands/show.ts')).show,
  diff: async () => (await import('./commands/diff.ts')).diff,
  search: async () => (await import('./commands/search.ts')).search,
  coverage: async () => (await import('./commands/coverage.ts')).coverage,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  check: async () => (await import('./commands/check.ts')).check,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  ship: async () => (await import('./commands/ship.ts')).ship,
  keys: async () => (await import('./commands/keys.ts')).keys,
  vault: async () => (await import('./commands/vault.ts')).vault,
  export: async () => (await import('./commands/export.ts')).exportRun,
  import: async () => (await import('./commands/import.ts')).importBundle,
  prune: async () => (await import('./commands/prune.ts')).prune,
  archive: async () => (await import('./commands/archive.ts')).archiveRuns,
  restore: async () => (await import('./commands/restore.ts')).restore,
};

export const VERBS: readonly string[] = Object.keys(COMMANDS);

/** Verbs after which it pays to have the loader's bundles compiled. */
const STARTS: ReadonlySet<string> = new Set(['record', 'replay', 'verify', 'gate', 'fork']);

/** Options may stand before the verb, too. */
function verbFirst(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith('--store') || args[at] === '--json') at += args[at] === '--store' ? 2 : 1;
  const verb = args[at];
  return at === 0 || verb === undefined ? args : [verb, ...args.slice(0, at), ...args.slice(at + 1)];
}

async function main(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = verbFirst(args);
  if (verb === undefined || verb === '--help' || verb === '-h' || verb === 'help') {
    process.stdout.write(rest[0] && COMMANDS[rest[0]] ? helpFor(rest[0]) : HELP);
    return verb === undefined ? 2 : 0;
  }
  if (verb === '--version' || verb === '-v') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const command = COMMANDS[verb];
  if (!command && verb.startsWith('-')) {
    process.stderr.write(`replay-harness: the option ${verb} stands before a command. Write the command first: replay-harness COMMAND ${verb} … (${VERBS.join(', ')}). See replay-harness --help.\n`);
    return 2;
  }
  if (!command) {
    process.stderr.write(`replay-harness: unknown command "${verb}". Commands: ${VERBS.join(', ')}. See replay-harness --help.\n`);
    return 2;
  }
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(helpFor(verb));
    return 0;
  }
  if (STARTS.has(verb) && !existsSync(compiledFile(`${DIST}/loader`, 'replay'))) void import('./compile.ts').then(({ compileBundles }) => compileBundles());
  return (await command())(rest);
}

// A reader that closes early (head, less) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
});

export async function run(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await main(args);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    process.stderr.write(`replay-harness: ${error.message}\n`);
    process.exitCode = error.exitCode;
  } finally {
    await closeStores();
  }
}
