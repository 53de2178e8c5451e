/** How the process of a replay is started: which Node, which program, what it sees of this machine. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { MatchConfig } from '../../model/config.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunFacts } from '../../model/event.ts';
import type { Environment } from '../../store/keyring.ts';
import { isExecutable, type Launch } from '../harnessed.ts';
import { DIST } from '../package-files.ts';
import { withoutFiles, withThisHarness } from '../node-options.ts';
import { type Mode, MODES } from '../sandbox/sandbox.ts';
import { appears, bindings, type View, viewOf } from '../sandbox/view.ts';

export interface Plan {
  readonly facts: RunFacts;
  /** With the folders where they were when it was recorded; and where nothing can be put there. */
  readonly inside: Omit<Launch, 'stdio'>;
  readonly outside: Omit<Launch, 'stdio'>;
  readonly view: () => View;
  readonly mode: Mode;
  /** Of this replay, for what the two processes tell each other. */
  readonly folder: string;
  readonly report: string;
}

export interface Wanted {
  readonly store: string;
  readonly runKey: Buffer | undefined;
  readonly folder: string;
  readonly mode: Mode;
  readonly node: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[] | undefined;
  readonly loose: boolean;
  readonly realtime?: boolean;
  readonly match: MatchConfig | undefined;
  /** Of the user who replays. */
  readonly user: Environment;
}

export function planOf(facts: RunFacts, { store, runKey, folder, mode, node, env, command, loose, realtime = false, match, user }: Wanted): Plan {
  const argv = command ? argvOf(command, facts) : undefined;
  const entry = (argv ?? facts.argv)[1];
  if (!argv && isFromStandardInput(facts)) throw new ConfigError(`The program of run ${facts.runId} was read from standard input, which is gone. Save it in a file and say where: replay-harness replay ${facts.runId.slice(0, 13)} -- node PATH`);
  if (entry !== undefined && entry !== '-' && !existsSync(entry) && !existsSync(`${entry}.js`)) {
    throw new ConfigError(`The program ${entry} of run ${facts.runId} is not here any more. Say where the code lies now: replay-harness replay ${facts.runId.slice(0, 13)} -- node PATH`);
  }
  // The program sees the recorded folder in any case: what it asks of the file system is answered from the recording.
  const cwd = existsSync(facts.cwd) ? facts.cwd : process.cwd();
  const byPath = command?.[0]?.includes('/') ? command[0] : undefined;
  const binary = node !== undefined ? givenNode('--node', node, facts) : byPath !== undefined ? givenNode('--', byPath, facts) : nodeFor(facts);
  const report = `${folder}/report.json`;
  const control = { mode: 'replay', store, run: facts.runId, report, refusal: `${report}.refusal`, temporary: folder, env, ...(loose && { loose }), ...(realtime && { realtime }), ...(match && { match }), ...(runKey && { runKey: runKey.toString('base64url') }) } as const;
  const nodeOptions = facts.env['NODE_OPTIONS'] === undefined ? {} : { NODE_OPTIONS: withThisHarness(withoutFiles(facts.env['NODE_OPTIONS'].split(/ +/)), DIST).join(' ') };
  const common = { command: binary, argv0: facts.argv0, inject: facts.injected, ...(facts.ipc && { serialization: facts.ipc }), env: { ...facts.env, ...nodeOptions, ...env, REPLAY_HARNESS_MODE: undefined, REPLAY_HARNESS_CONFIG: undefined } };
  const launchOf = (program: readonly string[] | undefined, at: string): Plan['inside'] => ({ ...common, args: [...withThisHarness(withoutFiles(facts.execArgv), DIST), ...(program ?? facts.argv).slice(1)], cwd: at, control: { ...control, ...(program && { argv: program }) } });

  const bound = argv ? bindings(argv[1] as string, facts, user, [folder, store, binary, DIST]) : [];
  const there = bound.length > 0 && appears(facts.cwd, bound) ? facts.cwd : cwd;
  const inside = launchOf(argv && bound.length > 0 ? [argv[0] as string, facts.argv[1] as string, ...argv.slice(2)] : argv, there);
  const view = (): View => viewOf({ cwd: there, folder, read: [cwd, store, binary, DIST, ...(entry === undefined ? [] : [dirname(entry)])], bound }, user);
  return { facts, mode, view, folder, report, inside, outside: launchOf(argv, cwd) };
}

function isFromStandardInput({ argv, execArgv }: RunFacts): boolean {
  return (argv[1] === undefined || argv[1] === '-') && !execArgv.some((option) => /^(-e|-p|-pe|--eval|--print|--test)\b/.test(option));
}

/** `-- node agent.js args`: the arguments reach the program; the recorded node binary runs it, or the one that is given by its path. */
function argvOf(command: readonly string[], facts: RunFacts): string[] {
  const [program, ...rest] = command;
  if (program === undefined || !/(^|\/)node$/.test(program)) throw new ConfigError(`replay runs Node programs: write "-- node PATH [ARGS…]", not "-- ${command.join(' ')}".`);
  const entry = rest.findIndex((arg) => !arg.startsWith('-'));
  if (entry < 0) throw new ConfigError('"-- node" needs the program’s path.');
  return [facts.argv[0] as string, join(process.cwd().startsWith('/') && !rest[entry]?.startsWith('/') ? process.cwd() : '', rest[entry] as string), ...rest.slice(entry + 1)];
}

/** Looked up here: the program is started with the recorded PATH, in the recorded folder. @throws ConfigError */
function givenNode(flag: string, node: string, facts: RunFacts): string {
  const folders = node.includes('/') ? [process.cwd()] : (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => resolve(folder, node)).find((path) => existsSync(path));
  if (found === undefined) throw new ConfigError(`${flag} ${node}: there is no such program. Give the path of a Node binary of the recorded version, ${facts.node}.`);
  if (!isExecutable(found)) throw new ConfigError(`${flag} ${node}: it is a folder, or a file that may not be executed. Give the path of a Node binary of the recorded version, ${facts.node}.`);
  return found;
}

/** The recorded binary; where it is gone, this one: of another version it replays by meaning. */
function nodeFor(facts: RunFacts): string {
  return existsSync(facts.execPath) ? facts.execPath : process.execPath;
}

/** @throws ConfigError */
export function sandboxMode(given: string | undefined): Mode {
  const mode = MODES.find((known) => known === (given ?? 'auto'));
  if (!mode) throw new ConfigError(`--sandbox takes ${MODES.join(', ')}, not "${given}".`);
  return mode;
}
