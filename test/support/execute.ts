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
}

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

export function start({ program, args, cwd, env, stdin }: Command): Running {
  const file = stdin && 'file' in stdin ? openSync(stdin.file, 'r') : undefined;
  const child = spawn(program, args, { cwd, env, stdio: [stdin && 'pipe' in stdin ? 'pipe' : (file ?? 'ignore'), 'pipe', 'pipe'] });
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

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => Buffer {
  const chunks: Buffer[] = [];
  child[name]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
