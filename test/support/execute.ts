/** Runs one program to its end and keeps what it said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { visits } from './visitors/index.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands at standard input: text in a pipe, a file, or somebody who types. Default: nothing (/dev/null). */
  readonly stdin?: Stdin | undefined;
  /** Where output goes. Default: pipes (as Node makes them: sockets); `files`; `fifos`: a shell's pipes; `unread`: a pipe that is read when the program has ended; `terminal`: a pseudo terminal, which is standard input too. */
  readonly output?: Output | undefined;
  /** Id of the user and the group that it runs as. */
  readonly user?: number | undefined;
  /** Who visits it when it is a service: the name of a script in `visitors`. */
  readonly visitors?: string | undefined;
}

export type Output = 'files' | 'fifos' | 'unread' | 'terminal';

export type Stdin = { readonly pipe: string | Uint8Array } | { readonly file: string } | { readonly typed: readonly Typed[] };

/** What a person types once a question stands in the output; standard input stays open after it. */
export interface Typed {
  readonly question: string;
  /** What is typed; or what is done instead, to the program of that process. */
  readonly answer: string | ((pid: number) => void);
  /** Milliseconds from question to answer. */
  readonly after: number;
}

export interface Execution {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the visitors of a service saw. */
  readonly visited: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Execution>;
  /** What has arrived on standard output up to now. */
  stdout(): Buffer;
}

/** A hung program must fail its own test and leave nothing behind. No assertion depends on it. */
const HUNG_MS = Number(process.env['HUNG_MS'] ?? 90_000);

export function execute(command: Command): Promise<Execution> {
  return start(command).ended;
}

export function start({ program, args, cwd, env, stdin, output, user, visitors }: Command): Running {
  const file = stdin && 'file' in stdin ? openSync(stdin.file, 'r') : undefined;
  const stdio = [stdin && !('file' in stdin) ? 'pipe' : (file ?? 'ignore'), 'pipe', 'pipe'] as const;
  const [shown, shownArgs] = output ? through(output, program, args) : [program, args];
  const child = spawn(shown, shownArgs, { cwd, env, stdio: [...stdio], ...(user !== undefined && { uid: user, gid: user }) });
  if (file !== undefined) closeSync(file);
  const [written, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const stdout = output === 'terminal' ? (): Buffer => withoutReturns(written()) : written;
  // A program may end without reading what it was given.
  child.stdin?.on('error', () => {});
  if (stdin && 'pipe' in stdin) child.stdin?.end(stdin.pipe);
  if (stdin && 'typed' in stdin) type(child, stdout, stdin.typed);
  const hung = setTimeout(() => child.kill('SIGKILL'), HUNG_MS);
  const visited = visitors === undefined ? Promise.resolve('') : visits(visitors, child, written, env);
  const ended = new Promise<Omit<Execution, 'visited'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      clearTimeout(hung);
      resolve({ stdout: stdout(), stderr: stderr(), exitCode, signal });
    });
  });
  return { child, ended: Promise.all([ended, visited]).then(([execution, seen]) => ({ ...execution, visited: seen })), stdout };
}

/** Runs "$@" with its output going elsewhere first, and gives it back. */
const SHELL: Readonly<Record<Exclude<Output, 'terminal'>, string>> = {
  files: '"$@" >out.txt 2>err.txt; code=$?; cat out.txt; cat err.txt >&2; exit $code',
  unread: 'rm -f code.txt; { "$@"; echo $? >code.txt; } | { until [ -s code.txt ]; do sleep 0.05; done; cat; }; exit $(cat code.txt)',
  fifos: '{ { "$@"; echo $? >code.txt; } 2>&1 1>&3 | cat >&2; } 3>&1 | cat; exit $(cat code.txt)',
};

/** Of a terminal that somebody types at: its device, for who changes its size. */
export const TERMINAL_FILE = 'terminal.txt';
const TERMINAL_SIZE = `stty cols 100 rows 30; tty >${TERMINAL_FILE}`;

function through(output: Output, program: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (output !== 'terminal') return ['sh', ['-c', SHELL[output], 'sh', program, ...args]];
  const quoted = [program, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return ['script', ['-qec', `${TERMINAL_SIZE}; exec ${quoted}`, '/dev/null']];
}

function type(child: ChildProcess, stdout: () => Buffer, typed: readonly Typed[]): void {
  const left = [...typed];
  let seen = 0;
  child.stdout?.on('data', () => {
    const [next] = left;
    const asked = next ? stdout().indexOf(next.question, seen) : -1;
    if (!next || asked < 0) return;
    left.shift();
    seen = asked + next.question.length;
    const { answer } = next;
    setTimeout(() => void (typeof answer === 'string' ? child.stdin?.write(answer) : answer(child.pid as number)), next.after);
  });
}

/** A terminal ends each line with a carriage return of its own. */
function withoutReturns(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => Buffer {
  const chunks: Buffer[] = [];
  child[name]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
