/** A folder of its own for one test: store, keys, copies of agents. */
import { mkdirSync, mkdtempSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, type Execution, execute, type Output, type Running, start, type Stdin } from './execute.ts';
import { ownText, withoutOwn } from './own-lines.ts';
import { agentPath, CLI, PACKAGES, PRELOAD, ROOT } from './paths.ts';

export type Preload = 'import' | 'require' | 'cli';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Stdin | undefined;
  readonly output?: Output | undefined;
  /** Options of node itself, before the agent. */
  readonly nodeArgs?: readonly string[];
  readonly args?: readonly string[];
  /** Id of the user and the group that it runs as. */
  readonly user?: number;
  /** Who visits it when it is a service: the name of a script in `visitors`. */
  readonly visitors?: string | undefined;
  /** Default: the workspace's folder. */
  readonly cwd?: string;
}

export interface RecordOptions extends RunOptions {
  /** The Node binary that runs it. Default: the one that runs the tests. */
  readonly runtime?: string;
  readonly preload?: Preload;
}

export interface ReplayOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: Stdin | undefined;
  readonly output?: Output | undefined;
  /** Id of the user and the group that it runs as. */
  readonly user?: number;
  /** Another build than the one under test. */
  readonly dist?: string;
}

export interface Harnessed extends Execution {
  /** The agent's own part of stderr. */
  readonly agentStderr: Buffer;
  /** The harness's lines on stderr. */
  readonly ownStderr: string;
}

/** The contract's report. */
export interface Report {
  readonly runId: string;
  readonly verdict: 'identical' | 'diverged' | 'drifted' | 'truncated' | 'blocked';
  readonly fidelity: string;
  readonly step: number | null;
  readonly kind: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly firstDifference: { readonly field: string; readonly expected: string; readonly actual: string } | null;
  readonly stack: readonly string[];
  readonly blocked: readonly string[];
  readonly liveCalls: number;
  readonly steps: number;
  readonly durationMs: number;
  readonly recordedDurationMs: number;
  readonly changedCode: readonly string[];
  readonly drifts: readonly { readonly change: string; readonly kind: string; readonly step: number | null; readonly recorded: string | null; readonly now: string | null; readonly firstDifference: Report['firstDifference'] }[];
  readonly because?: string;
  readonly sandbox: string | null;
  readonly stoppedAt?: number;
}

export interface Replayed extends Harnessed {
  readonly report: Report | undefined;
}

export class Workspace {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'replay-harness-test-'));
  readonly store: string = join(this.folder, '.replay');
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = { ...machineEnv(), HOME: this.folder, XDG_CONFIG_HOME: join(this.folder, 'config'), ...env };
    mkdirSync(join(this.folder, 'config'));
    this.#findPackages(join(ROOT, 'node_modules'));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** Takes a file away. @returns whether it was there */
  take(name: string): boolean {
    const isThere = existsSync(this.path(name));
    rmSync(this.path(name), { force: true });
    return isThere;
  }

  /** A copy of the agent that the test may edit. */
  copy(agent: string): string {
    if (agent.startsWith(PACKAGES)) this.#findPackages(join(PACKAGES, 'node_modules'));
    return this.write(agent.split('/').at(-1) as string, readFileSync(agentPath(agent)));
  }

  bare(agent: string, options: RunOptions = {}): Promise<Execution> {
    return this.node([...(options.nodeArgs ?? []), agentPath(agent), ...(options.args ?? [])], options);
  }

  /** Node itself, with arguments of any kind. */
  node(args: readonly string[], options: RunOptions = {}): Promise<Execution> {
    return execute(this.#command(process.execPath, args, options));
  }

  async record(agent: string, options: RecordOptions = {}): Promise<Harnessed> {
    return harnessed(await this.startRecording(agent, options).ended);
  }

  /** Recorded by a shell that first does something else. @param script runs the agent by `exec "$@"` */
  async shell(script: string, agent: string, options: RunOptions = {}): Promise<Harnessed> {
    return harnessed(await execute(this.#command('sh', ['-c', script, 'sh', process.execPath, ...PRELOAD.import ?? [], agentPath(agent)], options)));
  }

  startRecording(agent: string, { preload = 'import', runtime = process.execPath, ...options }: RecordOptions = {}): Running {
    const program = [...(options.nodeArgs ?? []), agentPath(agent), ...(options.args ?? [])];
    const args = preload === 'cli' ? [CLI, 'record', '--', 'node', ...program] : [...PRELOAD[preload], ...program];
    return start(this.#command(preload === 'cli' ? process.execPath : runtime, args, options));
  }

  async replay(run: string = 'latest', options: ReplayOptions = {}): Promise<Replayed> {
    const file = this.path('report.json');
    rmSync(file, { force: true });
    const execution = harnessed(await this.cli(['replay', run, '--report', file, ...(options.args ?? [])], options));
    return { ...execution, report: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined };
  }

  cli(args: readonly string[], options: ReplayOptions = {}): Promise<Execution> {
    const cli = options.dist === undefined ? CLI : join(options.dist, 'cli/main.mjs');
    return execute(this.#command(process.execPath, [cli, ...args], options));
  }

  /** Ids of the recorded runs, oldest first. */
  runs(): string[] {
    const folder = join(this.store, 'runs');
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }

  /** For a person: the last run again, by hand. */
  replayByHand(): string {
    return `cd ${this.folder} && XDG_CONFIG_HOME=${this.folder}/config HOME=${this.folder} node ${CLI} replay ${this.runs().at(-1) ?? 'latest'}`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Agents that were copied here find their packages. */
  #findPackages(folder: string): void {
    rmSync(this.path('node_modules'), { force: true });
    symlinkSync(folder, this.path('node_modules'));
  }

  #command(program: string, args: readonly string[], { env, stdin, output, user, visitors, cwd = this.folder }: RunOptions): Command {
    return { program, args, cwd, env: { ...this.#env, ...env }, stdin, output, user, visitors };
  }
}

function harnessed(execution: Execution): Harnessed {
  return { ...execution, agentStderr: withoutOwn(execution.stderr), ownStderr: ownText(execution.stderr) };
}

/** What a program needs of this machine; nothing of the test runner, of the harness or of the user. */
function machineEnv(): Record<string, string> {
  const kept = ['PATH', 'LANG', 'TZ', 'TMPDIR'].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
  return Object.fromEntries(kept);
}
