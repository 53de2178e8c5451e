/** Facts of this process that are fixed before its first line. */
import { ipcOf } from '../src/capture/boundaries/ipc.ts';
import { type RunFacts, type StdioType, SURFACE } from '../src/model/event.ts';
import { cwd, dateNow, isatty, nativeCrypto, nativeFs, processEnv } from '../src/runtime/natives.ts';
import { hostTimeZone } from '../src/runtime/time-zone.ts';

export interface Identification {
  readonly runId: string;
  readonly agent: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly injected: boolean;
  readonly nativeAddons: readonly string[];
}

export function gatherFacts({ runId, agent, name, tags, injected, nativeAddons }: Identification): RunFacts {
  const ipc = ipcOf();
  const timeZone = hostTimeZone();
  return {
    runId, lane: 0, agent, name, tags, injected,
    startedAt: dateNow(),
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    execPath: process.execPath,
    execArgv: [...process.execArgv],
    argv: [...process.argv],
    argv0: process.argv0,
    title: process.title,
    cwd: cwd(),
    env: { ...processEnv } as Record<string, string>,
    pid: process.pid,
    ppid: process.ppid,
    stdio: [stdioType(0), stdioType(1), stdioType(2)],
    ttySize: {},
    ...(ipc && { ipc }),
    ...(timeZone !== undefined && { timeZone }),
    surface: SURFACE,
    nativeAddons,
    seed: nativeCrypto.randomBytes(16).toString('hex'),
  };
}

export function stdioType(fd: number): StdioType {
  if (isatty(fd)) return 'tty';
  try {
    const stat = nativeFs.fstatSync(fd);
    return stat.isFIFO() || stat.isSocket() ? 'pipe' : 'file';
  } catch {
    return 'none';
  }
}

/** Package name beside the entry file, else the entry file's own name. */
export function defaultAgent(): string {
  const entry = process.argv[1];
  if (!entry) return 'node';
  for (let folder = entry.slice(0, entry.lastIndexOf('/')); folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    try {
      const { name } = JSON.parse(nativeFs.readFileSync(`${folder}/package.json`, 'utf8')) as { name?: unknown };
      if (typeof name === 'string' && name !== '') return name;
    } catch {
      continue;
    }
  }
  return entry.slice(entry.lastIndexOf('/') + 1);
}
