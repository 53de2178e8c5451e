/**
 * Where a replayed process runs: in namespaces of its own where this machine lets it, which holds also where a guard in the
 * process fails. Whether it works is found out by trying; a sandbox that cannot be built has not started the program.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { ended, type Exit, isExecutable, type Launch, launch } from '../harnessed.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { firstBelow } from './processes.ts';
import { quote, type Tools, viewScript } from './unshare.ts';
import type { View } from './view.ts';

export const MODES = ['auto', 'os', 'process'] as const;
export type Mode = (typeof MODES)[number];

/** What it turned out to be; `process`: guards in the process alone. */
export type Kind = 'bubblewrap' | 'unshare' | 'process';

export interface Sandboxed {
  readonly exit: Exit;
  readonly kind: Kind;
  /** Why no stronger one: one line each. */
  readonly reasons: readonly string[];
}

export interface Confined {
  readonly mode: Mode;
  /** Worked out where there is a sandbox to show it in. */
  readonly view: () => View;
  /** In the sandbox, where folders are where they were. */
  readonly inside: Launch;
  /** Without one. */
  readonly outside: Launch;
  /** Where the sandbox says what goes wrong while it is built; a folder of the command line's own. */
  readonly folder: string;
  readonly wire: (child: ChildProcess) => void;
}

interface Candidate {
  readonly kind: Kind;
  readonly program: string;
  /** Before the command. */
  readonly args: readonly string[];
  /** How far below the process that is started here the program runs. */
  readonly depth: number;
}

type Attempt = Candidate | { readonly kind: Kind; readonly reason: string };

/** @throws ConfigError where `os` is wanted and nothing works */
export async function runConfined({ mode, view, inside, outside, folder, wire }: Confined): Promise<Sandboxed> {
  let reasons: string[] = [];
  for (const attempt of mode === 'process' ? [] : attempts(view, join(folder, 'bin'))) {
    if ('reason' in attempt) {
      reasons.push(`${attempt.kind}: ${attempt.reason}`);
      continue;
    }
    const said = join(folder, 'sandbox');
    const child = launch(wrapped(inside, attempt, folder, said));
    wire(child);
    const exit = await ended(child, () => firstBelow(child.pid as number, attempt.depth));
    const text = readFileSync(said, 'utf8');
    rmSync(said);
    if (text.endsWith(STARTED) || exit.signalled) return { exit, kind: attempt.kind, reasons };
    reasons.push(`${attempt.kind}: ${lastLine(text) || `it ended with ${exit.code}`}`);
  }
  reasons = [...new Set(reasons)];
  if (mode === 'os') throw new ConfigError(`--sandbox os: no sandbox can be made here (${reasons.join('; ')}). ${ADVICE}`);
  const child = launch(outside);
  wire(child);
  return { exit: await ended(child), kind: 'process', reasons };
}

/** Without the names of the programs that said it. */
function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/^(?:(?:unshare|mount|bwrap): )+/, '');
}

const STARTED = 'started\n';
const ADVICE = 'Install bubblewrap, or run where user namespaces are allowed; docs/sandbox.md says how, and has recipes for Docker and systemd-nspawn. --sandbox process replays without.';

/** The command's own standard error stays what it was; what the sandbox has to say goes into a file. */
function wrapped(plain: Launch, { program, args }: Candidate, folder: string, said: string): Launch {
  const script = `exec 9>&2 2>${quote(said)}; exec "$@"`;
  return { ...plain, command: '/bin/sh', args: ['-c', script, 'sh', program, ...args, typed(plain, folder), ...plain.args], argv0: undefined, cwd: '/' };
}

/** A shell passes on what was typed as the program's own name (`process.argv0`): a name alone is found by way of a link. */
function typed({ command, argv0 }: Launch, folder: string): string {
  if (argv0 === undefined || argv0 === '' || argv0.includes('/')) return command;
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, argv0), { force: true });
  symlinkSync(command, join(bin, argv0));
  return argv0;
}

/** The strongest first. @param bin a folder in which the program is looked up */
function* attempts(view: () => View, bin: string): Generator<Attempt> {
  if (process.platform !== 'linux') return yield { kind: 'unshare', reason: 'namespaces are there on Linux only' };
  const first = bubblewrap(view, bin);
  yield first;
  // A socket may have gone while it was being hidden.
  if ('program' in first) yield bubblewrap(view, bin);
  yield* unshare(view(), bin);
}

function bubblewrap(view: () => View, bin: string): Attempt {
  const kind = 'bubblewrap';
  const program = find('bwrap');
  if (program === undefined) return { kind, reason: 'it is not installed' };
  try {
    const version = (): string => execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const args = [...bubblewrapArguments(view(), version), '/bin/sh', '-c', `echo started >&2; export PATH=${quote(bin)}; exec "$@" 2>&9 9>&-`, 'sh'];
    return { kind, program, args, depth: 2 };
  } catch (error) {
    return { kind, reason: (error as Error).message };
  }
}

/** With capabilities of one's own, else in a user namespace; without a process namespace where /proc cannot be mounted. */
function unshare(view: View, bin: string): Attempt[] {
  const kind = 'unshare';
  const program = find('unshare');
  const found = Object.fromEntries(['mount', 'umount', 'mkdir', 'chroot'].map((name) => [name, find(name)]));
  const missing = [...(program === undefined ? ['unshare'] : []), ...Object.keys(found).filter((name) => found[name] === undefined)];
  if (program === undefined || missing.length > 0) return [{ kind, reason: `${missing.join(', ')} not installed` }];
  const tools = { ...found, sh: '/bin/sh' } as unknown as Tools;
  const asRoot = process.geteuid?.() === 0 ? [false] : [];
  const asBefore = mapsBack(program) ? [program, '-U', `--map-user=${process.geteuid?.()}`, `--map-group=${process.getegid?.()}`] : [];
  return [true, false].flatMap((ownProcesses) => [...asRoot, true].map((asUser) => {
    const flags = `-${asUser ? 'Ur' : ''}mni${ownProcesses ? 'pf' : ''}`;
    return { kind, program, args: [flags, tools.sh, '-c', viewScript(view, tools, { ownProcesses, asUser, by: asUser ? asBefore : [], bin }), 'sh'], depth: ownProcesses ? 2 : 1 } as const;
  }));
}

/** Only root may mount, in a namespace of one's own; the program then is to be who it was. Busybox cannot do that. */
function mapsBack(program: string): boolean {
  try {
    return process.geteuid?.() !== 0 && execFileSync(program, ['--help'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes('--map-user');
  } catch {
    return false;
  }
}

function find(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => path.startsWith('/') && isExecutable(path));
}
