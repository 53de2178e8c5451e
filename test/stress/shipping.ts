/** Faults between recorded programs and a server, each with several programs at a time; then everything is compared with the journals. */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/store/sql/database.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openPostgres } from '../../src/store/sql/postgres.ts';
import { Postgres } from '../support/databases/postgres.ts';
import { type Execution, type Running, start } from '../support/execute.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { KeptJournals, proveShipped } from '../support/shipped-runs.ts';
import { Workspace } from '../support/workspace.ts';

const AGENT = 'shipped.mjs';
const ROUNDS = 700;

interface Scene {
  readonly server: Postgres;
  readonly workspace: Workspace;
  readonly database: Database;
  /** Of a login that may write, and nothing else. */
  readonly writer: string;
  readonly kept: KeptJournals;
  readonly bare: Execution;
  readonly kills: number;
  readonly agents: number;
  /** Where programs record: on the way to the server, or for a sidecar. */
  readonly folder: string;
  /** What is said of the program is checked; the harness may say what it likes. */
  record(env?: Readonly<Record<string, string>>): Running;
  /** The program has ended as it does alone. */
  untouched(running: Running): Promise<void>;
}

type Fault = (scene: Scene) => Promise<string>;

const FAULTS: Readonly<Record<string, Fault>> = {
  /** The thread that ships lives in the program: both are killed. */
  async thread({ record, untouched, kills, agents }) {
    let killed = 0;
    let ended = 0;
    while (killed < kills) {
      const running = Array.from({ length: agents }, () => record());
      const spared = randomInt(agents);
      await Promise.all(running.map(async (each, index) => {
        if (index === spared && agents > 1) return untouched(each).then(() => void ended++);
        await sleep(randomInt(1800));
        each.child.kill('SIGKILL');
        const { signal } = await each.ended;
        if (signal === 'SIGKILL') killed++;
        else ended++;
      }));
    }
    return `${killed} programs killed with their threads, ${ended} ended`;
  },

  async sidecar({ workspace, writer, record, untouched, kills, agents, folder }) {
    let isOver = false;
    let ended = 0;
    const recording = Array.from({ length: agents }, async () => {
      while (!isOver) {
        await untouched(record({ REPLAY_HARNESS_STORE: folder }));
        ended++;
      }
    });
    let killed = 0;
    while (killed < kills) {
      const sidecar = shipping(workspace, writer, folder);
      await sleep(300 + randomInt(1500));
      sidecar.child.kill('SIGKILL');
      if ((await sidecar.ended).signal !== 'SIGKILL') throw new Error(`ship ended by itself: ${(await sidecar.ended).stderr.toString()}`);
      killed++;
    }
    isOver = true;
    await Promise.all(recording);
    return `ship killed ${killed} times, ${ended} programs ended`;
  },

  async restarts({ server, record, untouched, kills, agents }) {
    let ended = 0;
    let isOver = false;
    const recording = Array.from({ length: agents }, async () => {
      while (!isOver) {
        await untouched(record({ REPLAY_HARNESS_FLUSH_MS: String(randomInt(3000)) }));
        ended++;
      }
    });
    const restarts = Math.ceil(kills / 5);
    for (let restart = 0; restart < restarts; restart++) {
      await sleep(randomInt(1500));
      await server.stop(restart % 2 === 0 ? 'SIGINT' : 'SIGQUIT');
      await sleep(randomInt(1500));
      await server.start();
    }
    isOver = true;
    await Promise.all(recording);
    return `the server stopped ${restarts} times, every other time at once, ${ended} programs ended`;
  },

  async connections({ server, writer, record, untouched, agents }) {
    server.sql(`ALTER ROLE ${new URL(writer).username} CONNECTION LIMIT 1`);
    const running = Array.from({ length: agents * 2 }, () => record({ REPLAY_HARNESS_FLUSH_MS: '300' }));
    for (const each of running) await untouched(each);
    server.sql(`ALTER ROLE ${new URL(writer).username} CONNECTION LIMIT -1`);
    return `${running.length} programs at a time with one connection for all`;
  },

  async password({ server, writer, record, untouched, agents }) {
    const { username, password } = new URL(writer);
    const running = Array.from({ length: agents }, () => record());
    await sleep(600);
    server.sql(`ALTER ROLE ${username} PASSWORD 'another one'; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${username}'`);
    for (const each of running) await untouched(each);
    for (const each of Array.from({ length: agents }, () => record())) await untouched(each);
    server.sql(`ALTER ROLE ${username} PASSWORD '${decodeURIComponent(password)}'`);
    return `another password in the middle of ${agents} programs, and before ${agents} more`;
  },
};

/** Tables lie on a disk of their own, which is full. */
async function fullDisk({ record, untouched, agents, workspace, writer }: Scene, folder: string): Promise<string> {
  const free = Number(/(\d+)%/.exec(execFileSync('df', ['--output=pcent', folder], { encoding: 'utf8' }))?.[1]);
  let said = '';
  let batches = 0;
  for (; batches < 12 && !/disk is full/.test(said); batches++) {
    const running = Array.from({ length: agents }, () => record());
    for (const each of running) {
      await untouched(each);
      said += (await each.ended).stderr.toString();
    }
  }
  if (!/disk is full/.test(said)) throw new Error(`the disk of the server was never full (${free} % before, ${batches} batches)`);
  const refused = await shipping(workspace, writer, undefined, ['--once']).ended;
  if (refused.exitCode !== 5) throw new Error(`ship on a full disk: exit code ${refused.exitCode}, ${refused.stderr.toString()}`);
  execFileSync('mount', ['-o', 'remount,size=1g', folder]);
  return `the disk was full after ${batches} times ${agents} programs, and larger then`;
}

export async function stressShipping(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { kills: { type: 'string' }, agents: { type: 'string' }, keep: { type: 'boolean' } } });
  const names = [...Object.keys(FAULTS), 'disk'].filter((name) => positionals.length === 0 || positionals.includes(name));
  const lines: string[] = [];
  let failed = 0;
  for (const name of names) {
    const began = performance.now();
    const line = await scene(name, { kills: Number(values.kills ?? 50), agents: Number(values.agents ?? 3) }).catch((error: Error) => {
      failed++;
      return `FAILED ${error.message}`;
    });
    lines.push(`${name.padEnd(12)} ${line} (${((performance.now() - began) / 1000).toFixed(0)} s)`);
    console.log(lines.at(-1));
  }
  if (values.keep) keep(lines);
  return failed === 0 && names.length > 0 ? 0 : 1;
}

async function scene(name: string, { kills, agents }: { readonly kills: number; readonly agents: number }): Promise<string> {
  const server = new Postgres({ durable: name === 'restarts' });
  const workspace = new Workspace({ XDG_STATE_HOME: '', REPLAY_HARNESS_FLUSH_MS: '2000' });
  const disk = name === 'disk' ? mounted(workspace, server) : undefined;
  let database: Database | undefined;
  let kept: KeptJournals | undefined;
  let isProven = false;
  try {
    await server.start();
    const made = server.createStore();
    if (disk !== undefined) for (const sql of [`CREATE TABLESPACE small LOCATION '${disk}'`, `ALTER DATABASE ${made.database} SET TABLESPACE small`]) server.sql(sql);
    database = openPostgres(made.url, { connections: 1 });
    await migrate(database, made.url);
    const writer = made.loginUrl('replay_writer');
    if (disk !== undefined) execFileSync('mount', ['-o', `remount,size=${sizeOf(disk) + 3072}k`, disk]);
    const folder = workspace.path('shared');
    const runs = (): string => (name === 'sidecar' ? join(folder, 'runs') : spoolOf(workspace));
    kept = new KeptJournals(workspace, runs);
    const bare = await workspace.bare(AGENT, { args: [String(ROUNDS)] });
    const record = (env: Readonly<Record<string, string>> = {}): Running => workspace.startRecording(AGENT, { args: [String(ROUNDS)], env: { REPLAY_HARNESS_STORE: writer, ...env } });
    const untouched = async (running: Running): Promise<void> => {
      const { stdout, exitCode, signal, stderr } = await running.ended;
      if (!stdout.equals(bare.stdout) || exitCode !== bare.exitCode || signal !== null) throw new Error(`a program ended with ${exitCode ?? signal} and ${stdout.length} bytes of output, alone with ${bare.exitCode} and ${bare.stdout.length}: ${stderr.toString().slice(-500)}`);
    };
    const here: Scene = { server, workspace, database, writer, kept, bare, kills, agents, folder, record, untouched };
    const line = disk !== undefined ? await fullDisk(here, disk) : await (FAULTS[name] as Fault)(here);
    kept.look();
    const shipRest = (): Promise<Execution> => shipping(workspace, writer, name === 'sidecar' ? folder : undefined, ['--once']).ended;
    let rest = await shipRest();
    // One that takes too long is killed, too; the next goes on behind it.
    while (rest.signal === 'SIGKILL') rest = await shipRest();
    if (rest.exitCode !== 0) throw new Error(`the rest cannot be shipped: ${rest.stderr.toString()}`);
    const left = existsSync(runs()) ? readdirSync(runs()) : [];
    if (left.length > 0) throw new Error(`not shipped: ${left.join(' ')}`);
    const { runs: shipped, steps } = await proveShipped(database, made.url, kept, workspace);
    isProven = true;
    return `${line}: ${shipped} runs, ${steps} steps, each there once`;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n    kept in ${workspace.folder}`);
  } finally {
    kept?.stop();
    await database?.close();
    await server.remove();
    if (disk !== undefined) execFileSync('umount', ['-l', disk]);
    if (isProven) workspace.remove();
  }
}

function spoolOf(workspace: Workspace): string {
  const spools = join(workspace.folder, '.local/state/replay-harness/spool');
  const [spool] = existsSync(spools) ? readdirSync(spools) : [];
  return join(spools, spool ?? 'none yet', 'runs');
}

function shipping(workspace: Workspace, url: string, from: string | undefined, args: readonly string[] = []): Running {
  return start({
    program: process.execPath, args: [CLI, 'ship', ...args, ...(from === undefined ? [] : ['--from', from])], cwd: workspace.folder,
    env: { PATH: process.env['PATH'] as string, HOME: workspace.folder, XDG_CONFIG_HOME: join(workspace.folder, 'config'), REPLAY_HARNESS_STORE: url },
  });
}

/** A file system of the server's own. @returns its folder */
function mounted(workspace: Workspace, { user }: Postgres): string {
  const folder = workspace.path('disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', folder]);
  if (user !== undefined) execFileSync('chown', [user, folder]);
  execFileSync('chmod', ['755', workspace.folder]);
  return folder;
}

/** In kilobytes. */
function sizeOf(folder: string): number {
  return Number(execFileSync('df', ['--output=used', folder], { encoding: 'utf8' }).split('\n')[1]);
}

/** Each fault's last result, with what it was had with. */
function keep(lines: readonly string[]): void {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const of = `${new Date().toISOString().slice(0, 16)}Z, commit ${commit}, Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), load ${loadavg()[0]?.toFixed(1)}`;
  const file = join(ROOT, 'test/stress/results/shipping.txt');
  const before = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : [];
  const nameOf = (line: string): string => line.split(' ', 1)[0] as string;
  const kept = new Map([...before, ...lines.map((line) => `${line} · ${of}`)].map((line) => [nameOf(line), line]));
  writeFileSync(file, `${[...kept.values()].join('\n')}\n`);
}
