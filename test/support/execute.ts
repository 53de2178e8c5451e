/** Runs one program to its end and keeps what it said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands at standard input: text in a pipe, or a file. Default: nothing (/dev/null). */
  readonly stdin?: Stdin | undefined;
  /** Where output goes. Default: pipes (as Node makes them: sockets); `files`; `fifos`: a shell's pipes; `unread`: a pipe that is read when the program has ended. */
  readonly output?: Output | undefined;
}

export type Output = 'files' | 'fifos' | 'unread';

export type Stdin = { readonly pipe: string | Uint8Array } | { readonly file: string };

export interface Execution {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Execution>;
  /** What has arrived on standard output up to now. */
  stdout(): Buffer;
}

/** A hung program must fail its own test and leave nothing behind. No assertion depends on it. */
const HUNG_MS = 90_000;

export function execute(command: Command): Promise<Execution> {
  return start(command).ended;
}

export function start({ program, args, cwd, env, stdin, output }: Command): Running {
  const file = stdin && 'file' in stdin ? openSync(stdin.file, 'r') : undefined;
  const stdio = [stdin && 'pipe' in stdin ? 'pipe' : (file ?? 'ignore'), 'pipe', 'pipe'] as const;
  const child = output ? spawn('sh', ['-c', SHELL[output], 'sh', program, ...args], { cwd, env, stdio: [...stdio] }) : spawn(program, args, { cwd, env, stdio: [...stdio] });
  if (file !== undefined) closeSync(file);
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  if (stdin && 'pipe' in stdin) {
    // A program may end without reading what it was given.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin.pipe);
  }
  const hung = setTimeout(() => child.kill('SIGKILL'), HUNG_MS);
  const ended = new Promise<Execution>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      clearTimeout(hung);
      resolve({ stdout: stdout(), stderr: stderr(), exitCode, signal });
    });
  });
  return { child, ended, stdout };
}

/** Runs "$@" with its output going elsewhere first, and gives it back. */
const SHELL: Readonly<Record<Output, string>> = {
  files: '"$@" >out.txt 2>err.txt; code=$?; cat out.txt; cat err.txt >&2; exit $code',
  unread: 'rm -f code.txt; { "$@"; echo $? >code.txt; } | { until [ -s code.txt ]; do sleep 0.05; done; cat; }; exit $(cat code.txt)',
  fifos: '{ { "$@"; echo $? >code.txt; } 2>&1 1>&3 | cat >&2; } 3>&1 | cat; exit $(cat code.txt)',
};

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => Buffer {
  const chunks: Buffer[] = [];
  child[name]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
