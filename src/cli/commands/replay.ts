/** `replay <run>`: the recorded program again, with every answer from the recording. */
import { type ChildProcess, type StdioOptions } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { withoutFiles, withThisHarness } from '../node-options.ts';
import type { Report } from '../../model/divergence.ts';
import type { MatchConfig } from '../../model/config.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunFacts } from '../../model/event.ts';
import type { RunManifest } from '../../model/run.ts';
import { exitCodeOf, explain } from '../../replay/report.ts';
import { loadConfig } from '../../store/configuration.ts';
import { identities } from '../../store/keyring.ts';
import { maskReport } from '../../store/masking/mask-report.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { interpretRun } from '../interpreted.ts';
import { partial, type Partial as PartialReplay } from './replay-partial.ts';
import { replayChildren, wantsChildren } from './replay-children.ts';
import { type Arguments, oneRun, pairs, parse } from '../arguments.ts';
import { optionsLeftOut, requireCommand, requireRecordedWithin, startable } from '../imported-facts.ts';
import { DIST, isExecutable, type Launch } from '../harnessed.ts';
import { fetchBelow, findRun } from '../stores.ts';
import { type Kind, type Mode, MODES, runConfined, type Sandboxed } from '../sandbox/sandbox.ts';
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

interface Wanted {
  readonly store: string;
  readonly runKey: Buffer | undefined;
  readonly folder: string;
  readonly mode: Mode;
  readonly node: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[] | undefined;
  readonly loose: boolean;
  readonly match: MatchConfig | undefined;
}

export async function replay(args: readonly string[]): Promise<number> {
  const parsed = parse('replay', args, { report: { type: 'string' }, env: { type: 'string', multiple: true }, node: { type: 'string' }, sandbox: { type: 'string' }, children: { type: 'string' }, loose: { type: 'boolean' }, until: { type: 'string' }, inspect: { type: 'boolean' }, step: { type: 'boolean' } }, { server: true });
  const selector = oneRun('replay', parsed);
  requireWritable(parsed.values['report'] as string | undefined);
  const withChildren = wantsChildren(parsed.values['children'] as string | undefined);
  const run = await findRun(parsed, selector);
  requireRecordedWithin(run.manifest, 'replay');
  requireCommand(run.manifest, parsed.command, withChildren);
  const mode = sandboxMode(parsed.values['sandbox'] as string | undefined);
  const { events, runKey, complete } = parsed.store.tape(run, identities(process.env));
  const [begin] = events;
  if (begin?.type !== 'begin') return nothingToReplay(run.manifest.id, parsed.values['report'] as string | undefined);
  const { until, inspect = false, step = false } = parsed.values as { until?: string; inspect?: boolean; step?: boolean };
  const isPartial = until !== undefined || inspect || step;
  const part = isPartial ? partial({ until, inspect, step }, { runId: run.manifest.id, steps: interpretRun(parsed.store, run, identities(process.env)).steps, complete }) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const { node, report, env, loose = false } = parsed.values as { node?: string; report?: string; env?: string[]; loose?: boolean };
    const facts = run.manifest.imported ? startable(begin.facts, parsed.command ?? [], DIST) : begin.facts;
    const plan = planOf(facts, { store: parsed.store.location, runKey, folder, mode, node, env: pairs('env', env), command: parsed.command, loose, match: loadConfig(process.env, process.cwd()).match });
    const performed = await perform(plan, part);
    const outcome = { ...performed, report: performed.report && maskedReport(performed.report, parsed.store, run) };
    if (report && outcome.report) writeReport(report, outcome.report);
    if (!outcome.report) {
      // A process that refused to replay has said why.
      if (!existsSync(plan.outside.control.refusal as string)) process.stderr.write(`replay-harness: the replayed process ended (exit ${outcome.code}) before it reached a verdict\n`);
      return outcome.code === 0 ? 1 : outcome.code;
    }
    if (outcome.report.stoppedAt !== undefined) return 0;
    process.stderr.write(`${explain(outcome.report)}\n`);
    if (run.manifest.imported && outcome.report.verdict !== 'identical') process.stderr.write(aboutImport(run.manifest, begin.facts, outcome.report));
    if (withChildren && outcome.report.verdict === 'identical') {
      await fetchBelow(parsed, run.manifest.id);
      const whole = await replayChildren(parsed.store, outcome.report);
      if (report) writeReport(report, whole.report);
      if (whole.code !== 0) return whole.code;
    }
    return outcome.report.verdict === 'identical' ? outcome.code : exitCodeOf(outcome.report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The process that replayed has masked what its own lane knows of. */
function maskedReport(report: Report, store: Arguments['store'], run: StoredRun): Report {
  if (report.verdict !== 'diverged') return report;
  const readers = identities(process.env);
  const { events, runKey } = store.tape(run, readers);
  return maskReport(report, [...events, ...store.lanes(run, readers).flatMap((lane) => lane.events)], { mask: loadConfig(process.env, process.cwd()).mask, key: runKey });
}

/** What an imported run may differ by through no fault of the program's. */
function aboutImport({ imported }: RunManifest, facts: RunFacts, { step }: Report): string {
  const left = optionsLeftOut(facts);
  const own = (imported?.underivable ?? []).filter(({ lane, event }) => lane === 0 && (step === null || event >= step));
  const lines = [
    ...(left.length > 0 ? [`the run was recorded with options of Node that an imported run is not given: ${left.join(', ')}. If you trust them, write them before the program: -- node OPTIONS PATH`] : []),
    ...(own.length > 0 ? [`the run has stand-ins for its secrets, and not everything can be derived from them: ${own.slice(0, 5).map(({ event, what }) => `${what} (step ${event})`).join('; ')}. Ask for a bundle that was exported --with-secrets to your key`] : []),
  ];
  return lines.map((line) => `replay-harness: ${line}\n`).join('');
}

/** The recorded process was killed before its first event was on disk. */
function nothingToReplay(runId: string, file: string | undefined): number {
  const report: Report = {
    runId, verdict: 'truncated', fidelity: 'exact', step: null, kind: null, expected: null, actual: null, firstDifference: null, stack: [], drifts: [], blocked: [],
    liveCalls: 0, steps: 0, durationMs: 0, recordedDurationMs: 0, code: null, signal: null, changedCode: [], sandbox: null,
  };
  if (file) writeReport(file, report);
  process.stderr.write(`${explain(report)}\n`);
  return exitCodeOf(report);
}

/** @throws ConfigError */
export function sandboxMode(given: string | undefined): Mode {
  const mode = MODES.find((known) => known === (given ?? 'auto'));
  if (!mode) throw new ConfigError(`--sandbox takes ${MODES.join(', ')}, not "${given}".`);
  return mode;
}

async function perform(plan: Plan, part: PartialReplay | undefined): Promise<{ code: number; report: Report | undefined }> {
  const origins = `${plan.folder}/origins.json`;
  if (part) await silently(plan, { halts: part.search(origins) });
  rmSync(plan.report, { force: true });
  const { stdio, close } = connect(plan.facts, plan.folder, { inputIsTaken: part?.takesInput ?? false });
  const fd = stdio.length;
  const { exit: { code }, kind, reasons } = await confined(plan, part ? [...stdio, 'pipe'] : stdio, part ? { halts: part.halts(origins, fd) } : {}, (child) => {
    forwardOutput(child);
    part?.attach(child, fd);
  });
  close();
  part?.finish();
  if (process.env['REPLAY_HARNESS_LOG'] === 'debug') process.stderr.write(`replay-harness: sandbox: ${kind}${reasons.length > 0 ? ` (${reasons.join('; ')})` : ''}\n`);
  const read = readReport(plan.report, kind);
  const report = read?.stoppedAt === undefined ? read : { ...read, stack: part?.stack ?? [] };
  if (!report || report.verdict === 'identical' || report.verdict === 'drifted' || report.stack.length > 0 || report.verdict === 'truncated') return { code, report };
  return { code, report: { ...report, stack: await trace(plan, kind) } };
}

export function confined({ mode, view, inside, outside, folder }: Plan, stdio: StdioOptions, more: Partial<Launch['control']>, wire: (child: ChildProcess) => void): Promise<Sandboxed> {
  const withMore = (launch: Plan['inside']): Launch => ({ ...launch, stdio, control: { ...launch.control, ...more } });
  return runConfined({ mode, view, inside: withMore(inside), outside: withMore(outside), folder, wire });
}

/** Goes through the same replay once more, slowly, to find the agent's own line behind work that a dependency did later. */
async function trace(plan: Plan, kind: Kind): Promise<readonly string[]> {
  await silently({ ...plan, mode: kind === 'process' ? 'process' : plan.mode }, { trace: true });
  return readReport(plan.report, kind)?.stack ?? [];
}

/** With streams of the recorded sort, which nobody reads. */
async function silently(plan: Plan, more: Partial<Launch['control']>): Promise<void> {
  const { stdio, close } = connect(plan.facts, plan.folder, { silent: true });
  await confined(plan, stdio, more, (child) => {
    child.stdout?.resume();
    child.stderr?.resume();
  });
  close();
}

export function planOf(facts: RunFacts, { store, runKey, folder, mode, node, env, command, loose, match }: Wanted): Plan {
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
  const control = { mode: 'replay', store, run: facts.runId, report, refusal: `${report}.refusal`, temporary: folder, env, ...(loose && { loose }), ...(match && { match }), ...(runKey && { runKey: runKey.toString('base64url') }) } as const;
  const nodeOptions = facts.env['NODE_OPTIONS'] === undefined ? {} : { NODE_OPTIONS: withThisHarness(withoutFiles(facts.env['NODE_OPTIONS'].split(/ +/)), DIST).join(' ') };
  const common = { command: binary, argv0: facts.argv0, inject: facts.injected, ...(facts.ipc && { serialization: facts.ipc }), env: { ...facts.env, ...nodeOptions, ...env, REPLAY_HARNESS_MODE: undefined, REPLAY_HARNESS_CONFIG: undefined } };
  const launchOf = (program: readonly string[] | undefined, at: string): Plan['inside'] => ({ ...common, args: [...withThisHarness(withoutFiles(facts.execArgv), DIST), ...(program ?? facts.argv).slice(1)], cwd: at, control: { ...control, ...(program && { argv: program }) } });

  const bound = argv ? bindings(argv[1] as string, facts, process.env, [folder, store, binary, DIST]) : [];
  const there = bound.length > 0 && appears(facts.cwd, bound) ? facts.cwd : cwd;
  const inside = launchOf(argv && bound.length > 0 ? [argv[0] as string, facts.argv[1] as string, ...argv.slice(2)] : argv, there);
  const view = (): View => viewOf({ cwd: there, folder, read: [cwd, store, binary, DIST, ...(entry === undefined ? [] : [dirname(entry)])], bound }, process.env);
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

function stdinOf({ stdio }: RunFacts, isTaken = false): 'pipe' | 'ignore' | 'inherit' {
  if (stdio[0] === 'tty') return process.stdin.isTTY && !isTaken ? 'inherit' : 'pipe';
  return stdio[0] === 'pipe' ? 'pipe' : 'ignore';
}

/** A program that was forked finds a channel to its parent; nothing is said on it. */
function channelOf({ ipc }: RunFacts): ['ipc'] | [] {
  return ipc ? ['ipc'] : [];
}

type Stdio = ('pipe' | 'ignore' | 'inherit' | 'ipc' | number)[];

/** Standard streams of the recorded sort: what they are decides which classes serve them. */
export function connect(facts: RunFacts, folder: string, { inputIsTaken = false, silent = false }: { readonly inputIsTaken?: boolean; readonly silent?: boolean }): { stdio: Stdio; close: () => void } {
  const files: (readonly [string, number, NodeJS.WriteStream])[] = [];
  const output = (fd: 1 | 2): 'pipe' | 'inherit' | number => {
    const stream = fd === 1 ? process.stdout : process.stderr;
    if (facts.stdio[fd] === 'tty' && stream.isTTY && !silent) return 'inherit';
    if (facts.stdio[fd] !== 'file') return 'pipe';
    const file = `${folder}/${fd}`;
    const opened = openSync(file, 'w+');
    files.push([file, opened, stream]);
    return opened;
  };
  const stdio: Stdio = [stdinOf(facts, inputIsTaken || silent), output(1), output(2), ...channelOf(facts)];
  const close = (): void => {
    for (const [file, fd, stream] of files) {
      closeSync(fd);
      if (!silent) stream.write(readFileSync(file));
    }
  };
  return { stdio, close };
}

export function forwardOutput(child: ChildProcess): void {
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
}

export function readReport(file: string, sandbox: Kind): Report | undefined {
  return existsSync(file) ? { ...(JSON.parse(readFileSync(file, 'utf8')) as Report), sandbox } : undefined;
}

/** Before the replay, which may take long. @throws ConfigError */
export function requireWritable(report: string | undefined): void {
  if (report === undefined) return;
  try {
    const isThere = existsSync(report);
    if (report === '' || (isThere && statSync(report).isDirectory())) throw new Error('it is a folder');
    if (!isThere && !statSync(dirname(report)).isDirectory()) throw new Error(`${dirname(report)} is a file`);
    accessSync(isThere ? report : dirname(report), constants.W_OK);
  } catch (error) {
    throw unwritable(report, error);
  }
}

function unwritable(report: string, error: unknown): ConfigError {
  return new ConfigError(`The report cannot be written to "${report}": ${(error as Error).message}. --report takes the path of a file, in a folder that exists.`);
}

/** @throws ConfigError */
export function writeReport(file: string, report: Report): void {
  try {
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
}
