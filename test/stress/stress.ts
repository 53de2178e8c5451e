/** Rounds of every agent of the catalogue, one after the other; busy loops beside them if wanted. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { AGENT_CASES } from '../support/catalogue.ts';
import { missingServers, removeDatabases, tellSkipped } from '../support/databases/index.ts';
import { killAndReplay } from '../support/killing.ts';
import { ROOT } from '../support/paths.ts';
import { type AgentCase, recordAndReplay } from '../support/record-and-replay.ts';

const ROUNDS = 20;
/** The agents with everything at once are held to more. */
const ROUNDS_OF_EVERYTHING: Readonly<Record<string, number>> = { 'everything.mjs': 100, 'everything-else.mjs': 50 };
const KILLS = 30;

interface Result {
  readonly agent: string;
  readonly rounds: number;
  readonly faults: string[];
  readonly seconds: number;
}

export async function stress(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { rounds: { type: 'string' }, replays: { type: 'string' }, busy: { type: 'boolean' }, kills: { type: 'string' }, minutes: { type: 'string' }, keep: { type: 'boolean' } } });
  const chosen = AGENT_CASES.filter(({ agent }) => positionals.length === 0 || positionals.some((name) => agent.includes(name))).filter(isPossible);
  const loops = values.busy ? [busyLoop(), busyLoop()] : [];
  const end = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
  const replays = Number(values.replays ?? 1);
  const results: Result[] = [];
  const report = (result: Result): void => {
    results.push(result);
    console.log(lineOf(result));
  };
  try {
    for (const [at, agent] of turned(chosen, values.minutes !== undefined).entries()) {
      if (performance.now() > end) {
        console.log(`LEFT OUT, the time was up: ${chosen.length - at} of ${chosen.length} agents`);
        break;
      }
      const rounds = Number(values.rounds ?? ROUNDS_OF_EVERYTHING[basename(agent.agent)] ?? ROUNDS);
      report(await repeat(labelOf(agent), rounds, (round) => recordAndReplay(agent, round, replays)));
    }
    const kills = Number(values.kills ?? (positionals.length === 0 ? KILLS : 0));
    if (kills > 0) report(await repeat('kill -9 at a random moment', kills, killAndReplay));
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
    await removeDatabases();
  }
  const failed = results.filter(({ faults }) => faults.length > 0);
  const summary = `${results.length - failed.length} of ${results.length} agents identical in every round${replays > 1 ? `, each of ${replays} replays` : ''}${values.busy ? ', with both cores kept busy' : ''}`;
  console.log(`\n${summary}`);
  if (values.keep) keep([summary, '', ...results.map(lineOf)], [...(values.busy ? ['busy'] : []), ...positionals]);
  return failed.length === 0 && results.length > 0 ? 0 : 1;
}

/** Where the time may not suffice for all, each Node version begins with others. */
function turned(agents: readonly AgentCase[], isShort: boolean): readonly AgentCase[] {
  const first = isShort ? Math.floor((Number(process.versions.node.split('.')[0]) % 8) / 8 * agents.length) : 0;
  return [...agents.slice(first), ...agents.slice(0, first)];
}

function isPossible(agent: AgentCase): boolean {
  const missing = missingServers(agent.needs);
  if (missing.length > 0) tellSkipped(labelOf(agent), missing);
  return missing.length === 0;
}

async function repeat(agent: string, rounds: number, once: (round: number) => Promise<unknown>): Promise<Result> {
  const faults: string[] = [];
  const began = performance.now();
  for (let round = 0; round < rounds; round++) {
    await once(round).catch((error: Error) => faults.push(`round ${round}: ${error.message}`));
  }
  return { agent, rounds, faults, seconds: (performance.now() - began) / 1000 };
}

function labelOf({ agent, label }: AgentCase): string {
  const name = label || agent.startsWith('/') ? basename(agent) : agent;
  return label ? `${name} (${label})` : name;
}

function lineOf({ agent, rounds, faults, seconds }: Result): string {
  const counts = `${String(rounds - faults.length).padStart(3)}/${String(rounds).padEnd(3)}`;
  return [`${agent.padEnd(44)} ${counts} ${seconds.toFixed(1).padStart(6)} s`, ...faults.slice(0, 2).map((fault) => `    ${fault}`)].join('\n');
}

/** The last result on each Node version is part of the repository; that of chosen agents has a file of its own. */
function keep(lines: readonly string[], marks: readonly string[]): void {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const head = `${new Date().toISOString().slice(0, 16)}Z, commit ${commit}, Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model}), load ${loadavg()[0]?.toFixed(1)} at the end`;
  const folder = join(ROOT, 'test/stress/results');
  mkdirSync(folder, { recursive: true });
  const name = ['node', process.versions.node.split('.')[0], ...marks.map((mark) => mark.replaceAll('/', '-'))].join('-');
  writeFileSync(join(folder, `${name}.txt`), `${[head, ...lines].join('\n')}\n`);
}

function busyLoop(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
}
