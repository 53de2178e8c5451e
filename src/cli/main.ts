/** The command line: one file per verb, one place for errors and exit codes. */
import { HarnessError } from '../model/error.ts';
import { archiveRuns } from './commands/archive.ts';
import { check } from './commands/check.ts';
import { coverage } from './commands/coverage.ts';
import { diff } from './commands/diff.ts';
import { gate } from './commands/gate.ts';
import { exportRun } from './commands/export.ts';
import { importBundle } from './commands/import.ts';
import { keys } from './commands/keys.ts';
import { migrate } from './commands/migrate.ts';
import { prune } from './commands/prune.ts';
import { record } from './commands/record.ts';
import { replay } from './commands/replay.ts';
import { restore } from './commands/restore.ts';
import { runs } from './commands/runs.ts';
import { show } from './commands/show.ts';
import { verify } from './commands/verify.ts';
import { ship } from './commands/ship.ts';
import { vault } from './commands/vault.ts';
import { HELP, helpFor, VERSION } from './help.ts';
import { closeStores } from './stores.ts';

type Command = (args: readonly string[]) => Promise<number> | number;

/** The embedder's table is as large as half of the rest. */
const search: Command = async (args) => (await import('./commands/search.ts')).search(args);

const COMMANDS: Readonly<Record<string, Command>> = { record, replay, verify, gate, runs, show, diff, search, coverage, check, migrate, ship, keys, vault, export: exportRun, import: importBundle, prune, archive: archiveRuns, restore };

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
    process.stderr.write(`replay-harness: the option ${verb} stands before a command. Write the command first: replay-harness COMMAND ${verb} … (${Object.keys(COMMANDS).join(', ')}). See replay-harness --help.\n`);
    return 2;
  }
  if (!command) {
    process.stderr.write(`replay-harness: unknown command "${verb}". Commands: ${Object.keys(COMMANDS).join(', ')}. See replay-harness --help.\n`);
    return 2;
  }
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(helpFor(verb));
    return 0;
  }
  return command(rest);
}

// A reader that closes early (head, less) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof HarnessError)) throw error;
  process.stderr.write(`replay-harness: ${error.message}\n`);
  process.exitCode = error.exitCode;
} finally {
  await closeStores();
}
