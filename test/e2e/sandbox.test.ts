/** The wall around a replayed process: what a failed guard would let through does not get out, and everything else is as without. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gates, Variants } from '../gates/without.ts';
import { start } from '../support/execute.ts';
import { AGENTS, CLI, PRELOAD } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const isRoot = process.getuid?.() === 0;
const WALLS = ['bubblewrap', 'unshare'];

describe('without a single guard in the process', () => {
  const variants = new Variants();
  beforeAll(() => variants.build());
  afterAll(() => variants.remove());

  it('no connection, no file, no signal and no key gets through', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const dist = variants.without(...gates().installs.filter((name) => name !== 'installExit'));
    const agent = copyTo(workspace, 'breakout.mjs');
    const places = ['in-project', 'home'].map((name) => workspace.path(name));
    for (const place of places) mkdirSync(place);
    const victim = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void victim.kill());
    const traces = (): string[] => [...places.map((place) => join(place, 'broken-out')), workspace.path('child-was-here')].filter((path) => existsSync(path));
    const env = { ...server.env, VICTIM: '999999999', KEY: workspace.path('config/replay-harness/identity'), PLACES: places.join(':') };

    workspace.write('keep-me', '');
    await workspace.bare(agent, { nodeArgs: ['--import', join(dist, 'loader/register.mjs')], env });
    expect(traces()).toHaveLength(3);
    const clean = (): void => {
      for (const trace of traces()) rmSync(trace);
      workspace.write('keep-me', '');
      server.connections = 0;
    };

    clean();
    const confined = await workspace.replay('latest', { dist, args: ['--sandbox', 'os', '--env', `VICTIM=${victim.pid}`] });
    expect(WALLS).toContain(confined.report?.sandbox);
    const told = Object.fromEntries(confined.stdout.toString().trim().split('\n').map((line) => line.split(/ (?=\S+$)/))) as Record<string, string>;
    expect(told).toMatchObject({ tcp: expect.stringMatching(/^(ENETUNREACH|ECONNREFUSED)$/), unix: 'ECONNREFUSED', key: 'ENOENT', kill: 'ESRCH', processes: 'true' });
    expect(traces()).toEqual([]);
    expect(existsSync(workspace.path('keep-me'))).toBe(true);
    expect(server.connections).toBe(0);
    expect(victim.exitCode ?? victim.signalCode).toBeNull();

    // All of it does happen where there is no wall.
    clean();
    const gone = new Promise((resolve) => victim.once('exit', resolve));
    await workspace.replay('latest', { dist, args: ['--sandbox', 'process', '--env', `VICTIM=${victim.pid}`] });
    await gone;
    expect(traces()).toHaveLength(3);
    expect(existsSync(workspace.path('keep-me'))).toBe(false);
    expect(server.connections).toBe(2);
  });
});

describe('what a program sees', () => {
  it.each(['os', 'process'])('is the same with --sandbox %s: exit code, streams, facts of the process', async (mode) => {
    const workspace = testWorkspace();
    for (const [agent, options] of [['process-facts.mjs', { env: { MARK: 'set', 'a.name-that.no-shell.takes': 'kept' } }], ['stdin.mjs', { stdin: { pipe: '{"answer":"yes"}\n' } }], ['exit-code.mjs', {}]] as const) {
      const recorded = await workspace.record(agent, options);
      const replayed = await workspace.replay('latest', { args: ['--sandbox', mode] });
      expect(replayed.report).toMatchObject({ verdict: 'identical', sandbox: mode === 'os' ? expect.stringMatching(WALLS.join('|')) : 'process' });
      expect([replayed.stdout, replayed.agentStderr, replayed.exitCode]).toEqual([recorded.stdout, recorded.agentStderr, recorded.exitCode]);
    }
  });

  it.skipIf(!isRoot)('is the same for a user without rights', async () => {
    const workspace = testWorkspace();
    const user = 4321;
    spawnSync('chown', ['-R', '-h', `${user}:${user}`, workspace.folder]);
    const recorded = await workspace.record('process-facts.mjs', { user });
    const replayed = await workspace.replay('latest', { user, args: ['--sandbox', 'os'] });
    expect(replayed.report).toMatchObject({ verdict: 'identical', sandbox: expect.stringMatching(WALLS.join('|')) });
    expect(replayed.stdout).toEqual(recorded.stdout);
  });

  it('has its folders where they were when it was recorded', async () => {
    const workspace = testWorkspace();
    const there = makeProject(workspace.path('recorded/there/project'));
    const here = workspace.path('now/here');
    await recordedIn(workspace, there);
    mkdirSync(workspace.path('now'));
    renameSync(there, here);
    rmSync(workspace.path('recorded'), { recursive: true });
    const replayed = await workspace.replay('latest', { cwd: here, args: ['--store', workspace.store, '--sandbox', 'os', '--', 'node', 'src/places.mjs'] });
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    // And by another place, where nothing can be put there.
    const elsewhere = await workspace.replay('latest', { cwd: here, args: ['--store', workspace.store, '--sandbox', 'process', '--', 'node', 'src/places.mjs'] });
    expect(elsewhere.report).toMatchObject({ verdict: 'diverged', actual: expect.stringContaining(here) });
  });

  it('sees this copy of the program where the recorded one is still there, too', async () => {
    const workspace = testWorkspace();
    const there = makeProject(workspace.path('first/project'));
    const here = makeProject(workspace.path('second/project'));
    await recordedIn(workspace, there);
    writeFileSync(join(here, 'src/lib/where.mjs'), 'export const where = "in the second one";\n');
    const replayed = await workspace.replay('latest', { cwd: here, args: ['--store', workspace.store, '--sandbox', 'os', '--', 'node', 'src/places.mjs'] });
    expect(replayed.report).toMatchObject({ verdict: 'diverged', firstDifference: { actual: expect.stringMatching('first/project in the second one') } });
  });

  it('stays where it lies if its packages are a link to those of the recorded place, which would lead to itself there', async () => {
    const workspace = testWorkspace();
    const [there, here] = ['first', 'second'].map((name) => {
      mkdirSync(workspace.path(`${name}${name === 'first' ? '/node_modules/numbered' : ''}`), { recursive: true });
      workspace.write(`${name}/package.json`, '{ "type": "module" }');
      workspace.write(`${name}/agent.mjs`, "import number from 'numbered';\nconsole.log(number, Math.random());\n");
      return workspace.path(name);
    }) as [string, string];
    workspace.write('first/node_modules/numbered/index.js', 'module.exports = 7;\n');
    symlinkSync(join(there, 'node_modules'), join(here, 'node_modules'));
    const recorded = await workspace.record(join(there, 'agent.mjs'));
    expect(recorded.stdout.toString()).toMatch(/^7 /);
    const replayed = await workspace.replay('latest', { cwd: here, args: ['--store', workspace.store, '--sandbox', 'os', '--', 'node', 'agent.mjs'] });
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', sandbox: expect.stringMatching(WALLS.join('|')) });
    expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  });

  it.skipIf(!isRoot)('has its folders at the very top, as in a container', async () => {
    const workspace = testWorkspace();
    const top = mkdtempSync('/replay-harness-test-');
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    const there = makeProject(join(top, 'app'));
    await recordedIn(workspace, there);
    renameSync(there, workspace.path('app'));
    rmSync(top, { recursive: true });
    const replayed = await workspace.replay('latest', { cwd: workspace.path('app'), args: ['--store', workspace.store, '--sandbox', 'os', '--', 'node', 'src/places.mjs'] });
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    expect(existsSync(top)).toBe(false);
  });
});

it('a signal reaches the program in the sandbox, and nothing is left behind', async () => {
  const workspace = testWorkspace();
  const agent = workspace.write('agent.mjs', 'console.log("begun");\n');
  await workspace.record(agent);
  writeFileSync(agent, 'process.stdout.write("begun\\n", () => {});\nfor (;;);\n');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, ended } = start({ program: process.execPath, args: [CLI, 'replay', 'latest', '--sandbox', 'os'], cwd: workspace.folder, env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config') } });
    await until(() => busyProgram(agent) !== undefined);
    const inside = busyProgram(agent) as number;
    child.kill(signal);
    expect((await ended).exitCode).toBe(signal === 'SIGTERM' ? 143 : 130);
    await until(() => !existsSync(`/proc/${inside}`));
  }
});

it.skipIf(!isRoot)('where nothing works, auto says why and goes on, and os is refused', async () => {
  const workspace = testWorkspace();
  await workspace.record('gates/random.mjs');
  const powerless = 'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"';
  const replay = (...args: string[]): ReturnType<typeof start>['ended'] => start({ program: 'unshare', args: ['-Ur', 'sh', '-c', powerless, 'sh', process.execPath, CLI, 'replay', 'latest', ...args], cwd: workspace.folder, env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config'), REPLAY_HARNESS_LOG: 'debug' } }).ended;
  const auto = await replay('--report', 'report.json');
  expect(auto.stderr.toString()).toMatch(/^replay-harness: sandbox: process \(bubblewrap: .+; unshare: .*not permitted.*\)\n/);
  expect(JSON.parse(readFileSync(workspace.path('report.json'), 'utf8'))).toMatchObject({ verdict: 'identical', sandbox: 'process' });
  const os = await replay('--sandbox', 'os');
  expect(os.stderr.toString()).toMatch(/^replay-harness: --sandbox os: no sandbox can be made here \(.+\)\. Install bubblewrap/);
  expect([os.exitCode, os.stdout.length]).toEqual([2, 0]);
});

it('another word is refused', async () => {
  const workspace = testWorkspace();
  await workspace.record('gates/random.mjs');
  const { exitCode, stderr } = await workspace.cli(['replay', 'latest', '--sandbox', 'docker']);
  expect([exitCode, stderr.toString()]).toEqual([2, 'replay-harness: --sandbox takes auto, os, process, not "docker".\n']);
});

function copyTo(workspace: Workspace, agent: string): string {
  copyFileSync(join(AGENTS, 'sandbox', agent), workspace.path(agent));
  return workspace.path(agent);
}

function makeProject(folder: string): string {
  mkdirSync(join(folder, 'src/lib'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/neighbour'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "somebody" }\n');
  writeFileSync(join(folder, 'node_modules/neighbour/index.js'), '');
  writeFileSync(join(folder, 'src/lib/where.mjs'), 'export const where = import.meta.url;\n');
  copyFileSync(join(AGENTS, 'sandbox/places.mjs'), join(folder, 'src/places.mjs'));
  return folder;
}

async function recordedIn(workspace: Workspace, project: string): Promise<void> {
  const { exitCode, stderr } = await workspace.node([...PRELOAD.import, 'src/places.mjs'], { cwd: project, env: { REPLAY_HARNESS_STORE: workspace.store } });
  expect(exitCode, stderr.toString()).toBe(0);
}

/** The innermost process that runs this program. */
function busyProgram(agent: string): number | undefined {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,comm=,args='], { encoding: 'utf8' });
  const found = stdout.split('\n').filter((line) => /^ *\d+ node /.test(line) && line.trimEnd().endsWith(agent));
  return found.length > 0 ? Math.max(...found.map((line) => Number.parseInt(line, 10))) : undefined;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
