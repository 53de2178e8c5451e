/** Replays against each other: by meaning against exactly, and how many runs `verify` takes in a minute. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, ROOT } from '../support/paths.ts';
import { TestServer } from '../support/server.ts';
import { type Report, Workspace } from '../support/workspace.ts';
import { measure, type Sample } from './measure.ts';
import { spread } from './statistics.ts';
import { Told } from './text.ts';
import { World } from './world.ts';

type Mode = 'full' | 'quick';

const ROUNDS = { full: 7, quick: 3 } as const;
const CALLS = { full: 500, quick: 200 } as const;
const RUNS = { full: 200, quick: 10 } as const;
const MOST_TIMES = 3;
const LEAST_A_MINUTE = 200;

const launch = (workspace: Workspace, args: readonly string[]): Promise<Sample> =>
  measure({ program: process.execPath, args: [CLI, ...args], cwd: workspace.folder, env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config') } });

async function within<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = new Workspace();
  try {
    return await work(workspace);
  } finally {
    workspace.remove();
  }
}

/** The sample with tickets, recorded so often. */
async function recordSample(workspace: Workspace, times: number): Promise<void> {
  const sample = join(ROOT, 'samples/wrong-argument');
  workspace.write('tickets.json', readFileSync(join(sample, 'tickets.json')));
  const agent = workspace.write('agent.mjs', readFileSync(join(sample, 'agent.mjs')));
  const server = new TestServer(workspace.folder);
  await server.start();
  try {
    for (let run = 0; run < times; run++) await workspace.record(agent, { env: server.env });
  } finally {
    await server.stop();
  }
}

async function recordCalls(workspace: Workspace, count: number): Promise<void> {
  const world = new World();
  await world.start();
  try {
    await workspace.record(fileURLToPath(new URL('agents/calls.mjs', import.meta.url)), { env: { BENCH_URL: world.url, BENCH_KEY: 'sk-bench', BENCH_CALLS: String(count) } });
  } finally {
    await world.kill();
  }
}

/** @returns what is wrong */
export async function benchSemantic(mode: Mode, keep = false): Promise<string[]> {
  const told = new Told('semantic', mode);
  const wrong = [
    ...(await within(async (workspace) => {
      await recordSample(workspace, 1);
      return againstExact(workspace, mode, 'the sample with tickets, start and all', told);
    })),
    ...(await within(async (workspace) => {
      await recordCalls(workspace, CALLS[mode]);
      return againstExact(workspace, mode, `${CALLS[mode]} sequential LLM calls`, told);
    })),
  ];
  if (keep) told.keep();
  return wrong;
}

/** Whole commands, one after the other in turn. */
async function againstExact(workspace: Workspace, mode: Mode, what: string, told: Told): Promise<string[]> {
  const times: { readonly exact: Sample; readonly semantic: Sample }[] = [];
  const file = workspace.path('report.json');
  const replay = async (fidelity: Report['fidelity'], args: readonly string[]): Promise<Sample> => {
    rmSync(file, { force: true });
    // What processes take in a sandbox with process numbers of its own is not counted with what started it.
    const sample = await launch(workspace, ['replay', 'latest', '--report', file, '--sandbox', 'process', ...args]);
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
    if (report?.verdict !== 'identical' || report.fidelity !== fidelity || report.liveCalls > 0) throw new Error(`${what}: not identical (${fidelity}): ${sample.stderr}`);
    return sample;
  };
  try {
    for (let round = 0; round < ROUNDS[mode]; round++) times.push({ exact: await replay('exact', []), semantic: await replay('semantic', ['--loose']) });
  } catch (error) {
    return [`semantic: ${(error as Error).message}`];
  }
  told.tell(`\nsemantic: a replay by meaning against an exact one: ${what}`);
  for (const [name, of] of [['CPU', 'cpuMs'], ['wall', 'wallMs']] as const) {
    const { median, least, most } = spread(times.map(({ exact, semantic }) => semantic[of] / exact[of]));
    const [exact, semantic] = [spread(times.map((each) => each.exact[of])), spread(times.map((each) => each.semantic[of]))];
    told.tell(`  ${name.padEnd(5)} ${exact.median.toFixed(0)} ms exactly, ${semantic.median.toFixed(0)} ms by meaning: ${median.toFixed(2)} times (${least.toFixed(2)} – ${most.toFixed(2)}), target ≤ ${MOST_TIMES}: ${median <= MOST_TIMES ? 'met' : 'MISSED'}`);
  }
  return [];
}

/** Fifty steps: clocks, random values, files and timers. */
const FIFTY = `
import { readFileSync } from 'node:fs';
for (let step = 0; step < 50; step += 5) {
  console.log(Date.now(), Math.random(), performance.now(), readFileSync(process.argv[1], 'utf8').length);
  await new Promise((resolve) => setTimeout(resolve, 1));
}`;
const STARTS = { full: 31, quick: 7 } as const;
const MOST_OVER_MS = 100;

/** What a replay takes beside Node's own start, of which it needs two: the command's and the program's. @returns what is wrong */
export function benchReplayLatest(mode: Mode, keep = false): Promise<string[]> {
  return within(async (workspace) => {
    const told = new Told('replay-latest', mode);
    await workspace.record(workspace.write('fifty.mjs', FIFTY));
    const [listed] = JSON.parse((await launch(workspace, ['runs', '--json'])).stdout) as { readonly steps: number }[];
    // Where the database of a folder lies: whoever opened it would fail.
    workspace.write('.replay/database', 'no database');
    const samples: { readonly bare: Sample; readonly replay: Sample }[] = [];
    for (let round = 0; round < STARTS[mode]; round++) {
      const bare = await measure({ program: process.execPath, args: ['-e', '0'], cwd: workspace.folder, env: { PATH: process.env['PATH'] ?? '' } });
      const replay = await launch(workspace, ['replay', 'latest']);
      if (replay.exitCode !== 0 || !replay.stderr.includes(': identical, ')) return [`replay-latest: exit ${replay.exitCode}: ${replay.stderr}`];
      samples.push({ bare, replay });
    }
    const over = spread(samples.map(({ bare, replay }) => replay.wallMs - bare.wallMs));
    const wall = spread(samples.map(({ bare }) => bare.wallMs)).median;
    told.tell(`\nreplay latest: a run of ${listed?.steps} steps in a folder, its database not opened: +${over.median.toFixed(0)} ms (${over.least.toFixed(0)} – ${over.most.toFixed(0)}) over one start of Node, which took ${wall.toFixed(0)} ms; the replayed program's own start is in it. Target ≤ ${MOST_OVER_MS} ms: ${over.median <= MOST_OVER_MS ? 'met' : 'MISSED'}`);
    if (keep) told.keep();
    return [];
  });
}

/** @returns what is wrong */
export function benchVerify(mode: Mode, keep = false): Promise<string[]> {
  return within(async (workspace) => {
    const told = new Told('verify', mode);
    await recordSample(workspace, RUNS[mode]);
    const verified = await launch(workspace, ['verify', '--all', '--json']);
    const { summary } = JSON.parse(verified.stdout) as { summary: string };
    const perMinute = (RUNS[mode] * 60_000) / verified.wallMs;
    told.tell(`\nverify: ${RUNS[mode]} recorded runs of the sample with tickets: ${summary}, ${(verified.wallMs / 1000).toFixed(1)} s`);
    told.tell(`  ${perMinute.toFixed(0)} runs a minute, target ≥ ${LEAST_A_MINUTE}: ${perMinute >= LEAST_A_MINUTE ? 'met' : 'MISSED'}`);
    if (keep) told.keep();
    return verified.exitCode === 0 && summary === `${RUNS[mode]} identical` ? [] : [`verify: ${summary}, exit ${verified.exitCode}: ${verified.stderr.slice(-2000)}`];
  });
}
