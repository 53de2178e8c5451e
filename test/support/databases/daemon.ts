/** A server of the machine's own packages, as a child of this process: it goes when the process goes, however that happens. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readdirSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';

export interface Daemon {
  /** What it has said since its start. */
  log(): string;
  /** Idempotent. @param signal asks it to end */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Name of the user that it runs as; undefined: this one. */
  readonly user?: string | undefined;
  /** Stands in the log when it is ready. */
  readonly ready: RegExp;
  /** What it gets when this process is gone: `QUIT`. */
  readonly orphaned: string;
}

/** A hung server must fail its test; no assertion depends on it. */
const HUNG_MS = 60_000;
const LARGEST_OUTPUT = 256 * 1024 * 1024;

export async function startDaemon({ program, args, cwd, user, ready, orphaned }: Command): Promise<Daemon> {
  // Of util-linux: the server gets a signal when this process is gone.
  const child = spawn('setpriv', ['--pdeathsig', orphaned, ...asUser(user), program, ...args], { cwd, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'close');
  try {
    await until(child, () => ready.test(log));
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${program}: ${(error as Error).message}\n${log.slice(-2000)}`);
  }
  return {
    log: () => log,
    stop: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

/** Runs a program of the server's package to its end. @returns what it printed */
export function run(program: string, args: readonly string[], { cwd, user, input, timeout = HUNG_MS }: { readonly cwd: string; readonly user?: string | undefined; readonly input?: string; readonly timeout?: number }): string {
  const [command, ...rest] = [...(user === undefined ? [] : ['setpriv', ...asUser(user)]), program, ...args] as [string, ...string[]];
  return execFileSync(command, rest, { cwd, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }, encoding: 'utf8', timeout, maxBuffer: LARGEST_OUTPUT, stdio: ['pipe', 'pipe', 'pipe'], ...(input !== undefined && { input }) });
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** @throws when something still answers */
export async function provesRefused(name: string, port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const refused = await new Promise<boolean>((resolve) => socket.once('error', () => resolve(true)).once('connect', () => resolve(false)));
  socket.destroy();
  if (!refused) throw new Error(`${name} on port ${port} still answers.`);
}

/** @returns the path of a program, or undefined where it is not installed */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  return [...folders, ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'].map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Debian keeps the programs of each major version in a folder of its own; the newest comes first. */
export function versionFolders(root: string): string[] {
  try {
    return readdirSync(root).sort((a, b) => Number(b) - Number(a)).map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

function asUser(user: string | undefined): string[] {
  return user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups'];
}

async function until(child: ChildProcess, holds: () => boolean): Promise<void> {
  const began = Date.now();
  let failed: Error | undefined;
  child.once('error', (error) => (failed = error));
  while (!holds()) {
    if (failed) throw failed;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended with ${child.exitCode ?? child.signalCode}`);
    if (Date.now() - began > HUNG_MS) throw new Error('is not ready');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
