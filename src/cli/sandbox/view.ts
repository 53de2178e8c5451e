/** What a replayed process is to see of this machine's files. */
import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Environment, keyFolder } from '../../store/keyring.ts';
import type { RunFacts } from '../../model/event.ts';
import { isAtOrBelow } from './mounts.ts';

/** Absolute paths; everything that is not named is there as it is, and cannot be written. */
export interface View {
  readonly cwd: string;
  /** Folders that can be written, for good. */
  readonly writable: readonly string[];
  /** Folders that can be written, with no effect outside. */
  readonly scratch: readonly string[];
  /** Folders that are empty. */
  readonly hidden: readonly string[];
  /** Files that are empty. */
  readonly masked: readonly string[];
  /** Sockets that somebody listens on. */
  readonly sockets: readonly string[];
  /** Paths that are there although they lie in a hidden folder. */
  readonly kept: readonly string[];
  readonly bound: readonly Binding[];
}

/** A folder that appears at the place where it was in the recorded run. */
export interface Binding {
  readonly here: string;
  readonly there: string;
}

/** Where programs put what nobody needs to keep. */
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];
/** Where services listen: a socket in a read-only folder can still be connected to. */
const RUNTIME = ['/run', '/var/run'];

export interface Needs {
  readonly cwd: string;
  /** The command line's folder for this replay. */
  readonly folder: string;
  /** What the process reads: its program, the store, Node, this package. */
  readonly read: readonly string[];
  readonly bound: readonly Binding[];
}

/** @param env of the user who replays: says where the private key lies, which the replayed process must not find */
export function viewOf({ cwd, folder, read, bound }: Needs, env: Environment): View {
  // The options of an overlay have no way to say these.
  const scratch = realFolders([...TEMPORARY, env['TMPDIR'] ?? '/tmp']).filter((path) => !/[:,\\"]/.test(path));
  const hidden = realFolders([...RUNTIME, keys(env)]);
  const identity = env['REPLAY_HARNESS_IDENTITY'];
  const masked = [...(identity !== undefined && !identity.startsWith('cmd:') && existsSync(identity) ? [realpathSync(identity)] : [])];
  const kept = read.filter((path) => existsSync(path)).map(folderOf).filter((path) => hidden.some((place) => isAtOrBelow(path, place)));
  return { cwd, writable: [folder], scratch, hidden, masked, sockets: listeningSockets(hidden), kept: [...new Set(kept)], bound };
}

function folderOf(path: string): string {
  const real = realpathSync(path);
  return lstatSync(real).isDirectory() ? real : dirname(real);
}

function keys(env: Environment): string {
  try {
    return keyFolder(env);
  } catch {
    // A user without a home has no keys.
    return '';
  }
}

/** Outermost ones only. */
function realFolders(paths: readonly string[]): string[] {
  const real = [...new Set(paths.filter((path) => path.startsWith('/') && existsSync(path)).map((path) => realpathSync(path)))].filter((path) => path !== '/' && lstatSync(path).isDirectory());
  return real.filter((path) => !real.some((other) => other !== path && isAtOrBelow(path, other)));
}

/** Unix sockets have no network namespace: what has a path can be reached by whoever sees the path. */
function listeningSockets(hidden: readonly string[]): string[] {
  const paths = new Set(readFileSync('/proc/net/unix', 'latin1').split('\n').flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(line)?.[1] ?? []));
  return [...paths].map(reachable).filter((path) => path !== undefined).filter((path) => !hidden.some((place) => isAtOrBelow(path, place)));
}

function reachable(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    const real = realpathSync(path);
    return lstatSync(real).isSocket() ? real : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Which folders of this machine stand for those of the recorded one, where the program lies elsewhere now.
 * @param entry where it lies @param needed paths that must not be covered
 */
export function bindings(entry: string, { argv, env: recorded }: RunFacts, env: Environment, needed: readonly string[]): Binding[] {
  const project = argv[1] === undefined || argv[1] === entry ? undefined : projectOf(entry, argv[1]);
  if (!project || needed.some((path) => isAtOrBelow(path, project.there)) || hidesPackages(entry, project)) return [];
  const home = { here: env['HOME'] ?? '', there: recorded['HOME'] ?? '' };
  const isElsewhere = home.here.startsWith('/') && home.there.startsWith('/') && home.there !== '/' && existsSync(home.here) && !existsSync(home.there);
  const fits = isElsewhere && (!isAtOrBelow(project.there, home.there) || appears(project.there, [home]));
  return fits ? [home, project] : [project];
}

/** A link to packages that lie at the recorded place would lead to itself there, and no package be found: then the program is replayed where it lies, as without a sandbox of the system. */
function hidesPackages(entry: string, { here, there }: Binding): boolean {
  for (let folder = dirname(entry); isAtOrBelow(folder, here); folder = dirname(folder)) {
    const link = `${folder}/node_modules`;
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && isAtOrBelow(readlinkSync(link), `${there}${link.slice(here.length)}`)) return true;
  }
  return false;
}

/** Whether the path is there when the folders are bound. */
export function appears(path: string, bound: readonly Binding[]): boolean {
  const binding = [...bound].reverse().find(({ there }) => isAtOrBelow(path, there));
  return existsSync(binding ? `${binding.here}${path.slice(binding.there.length)}` : path);
}

/** What two paths of one program end in is the same project, as far up as the project goes here. @returns undefined where the file has another name */
function projectOf(here: string, there: string): Binding | undefined {
  const [ours, theirs] = [here.split('/'), there.split('/')];
  let same = 0;
  while (same < Math.min(ours.length, theirs.length) - 1 && ours.at(-1 - same) === theirs.at(-1 - same)) same++;
  const roots = (count: number): Binding => ({ here: ours.slice(0, -count).join('/'), there: theirs.slice(0, -count).join('/') });
  const possible = Array.from({ length: same }, (_, index) => roots(same - index)).filter((root) => root.here !== '' && root.there !== '');
  return possible.find((root) => isProject(root.here)) ?? possible.at(-1);
}

function isProject(folder: string): boolean {
  return ['package.json', '.git', 'node_modules'].some((name) => existsSync(`${folder}/${name}`));
}
