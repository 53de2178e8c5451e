/**
 * The shared driver: start the world, record the agent, stop the world, replay, compare byte for byte. Every second round
 * the world is back up during the replay, on the same ports, and must not be touched: a quiet live call is the worst fault.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentDatabases, type DatabaseName, databasesFor } from './databases/index.ts';
import { difference } from './difference.ts';
import type { Execution, Output, Stdin } from './execute.ts';
import { TestServer } from './server.ts';
import { type Harnessed, type Preload, type Replayed, Workspace } from './workspace.ts';

export interface AgentCase {
  readonly agent: string;
  /** Tells two cases of one agent apart. */
  readonly label?: string;
  /** Database servers that it talks to; it is left out where they are not installed. */
  readonly needs?: readonly DatabaseName[];
  /** The exit codes that the agent itself may choose. Default 0. */
  readonly exitCode?: number | readonly number[];
  readonly preload?: Preload;
  readonly stdin?: Stdin | ((workspace: Workspace) => Stdin);
  readonly output?: Output;
  readonly nodeArgs?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>> | ((server: TestServer) => Readonly<Record<string, string>>);
  /** Program of a server beside the others, which the agent finds at COMPANION_PORT. */
  readonly companion?: string;
  /** Before recording: files that the agent reads. */
  readonly prepare?: (workspace: Workspace) => void;
  /** Before replay: takes them away, or changes them. */
  readonly spoil?: (workspace: Workspace) => void;
  /** Its children write to the file `started`, in record mode alone. */
  readonly starts?: true;
  /** Who visits it when it is a service: the name of a script in `visitors`. What they see has to be equal in a bare run and in a recorded one. */
  readonly visitors?: string;
  /** Takes out of what they see what the moment decides. */
  readonly sameToVisitors?: (visited: string) => string;
  /** What has to be equal in a bare run and in a recorded one. Default: nothing is compared. */
  readonly sameAsBare?: (stdout: string) => string;
}

/** For `sameAsBare`: the agent prints nothing that differs between two runs. */
export const all = (stdout: string): string => stdout;

/** For `sameAsBare`: the same lines, in an order that the moment decides. */
export const sortedLines = (stdout: string): string => stdout.split('\n').sort().join('\n');

const BARE_RUNS = 6;

type Fault = string | false | undefined;

/** Each child of an agent that `starts` some adds a line to it. */
export const STARTED = 'started';

/**
 * One round. @param replays how often the recording is replayed
 * @throws Error that says what differs, where it lies and how to replay it by hand
 */
export async function recordAndReplay(agent: AgentCase, round = 0, replays = 1): Promise<Harnessed> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder, agent.companion);
  const databases = await databasesFor(agent.needs);
  try {
    await server.start();
    const options = { ...agent, env: { ...server.env, ...databases.env, ...(typeof agent.env === 'function' ? agent.env(server) : agent.env) }, stdin: typeof agent.stdin === 'function' ? agent.stdin(workspace) : agent.stdin };
    agent.prepare?.(workspace);
    const bare = (): Promise<Execution> => workspace.bare(agent.agent, options);
    const first = agent.sameAsBare || agent.visitors ? await bare() : undefined;
    if (first) agent.prepare?.(workspace);
    const recorded = await workspace.record(agent.agent, options);
    throwIfAny(recordingFaults(agent, recorded));
    if (first) throwIfAny(await untilNone(first, (run) => differencesFromBare(agent, recorded, run), () => (agent.prepare?.(workspace), bare())));

    await Promise.all([server.stop(), databases.stop()]);
    await Promise.all([server.provesStopped(), databases.provesStopped()]);
    agent.spoil?.(workspace);
    throwIfAny([agent.starts && !workspace.take(STARTED) && 'the recorded run started nothing']);
    for (let replay = 0; replay < replays; replay++) {
      if (replay > 0) await Promise.all([server.stop(), databases.stop()]);
      const serverUp = (round + replay) % 2 === 1;
      if (serverUp) await Promise.all([server.start(), databases.start()]);
      throwIfAny(await faultsOfReplay(agent, { workspace, recorded, server, databases, serverUp }));
    }
    workspace.remove();
    return recorded;
  } catch (error) {
    throw new Error(`${agent.agent}: ${(error as Error).message}\n  kept in ${workspace.folder}; by hand:\n  ${workspace.replayByHand()}`);
  } finally {
    await server.stop();
  }
}

interface Replaying {
  readonly workspace: Workspace;
  readonly recorded: Harnessed;
  readonly server: TestServer;
  readonly databases: AgentDatabases;
  readonly serverUp: boolean;
}

async function faultsOfReplay(agent: AgentCase, { workspace, recorded, server, databases, serverUp }: Replaying): Promise<Fault[]> {
  const before = filesIn(workspace.folder);
  const replayed = await workspace.replay();
  const connections = serverUp ? await databases.hits() : 0;
  return [
    ...changesSince(before, workspace.folder),
    ...replayFaults(recorded, replayed),
    agent.starts && workspace.take(STARTED) && 'the replay started a process',
    serverUp && server.hits > 0 && `the replay reached the server: ${server.hits} hits ${server.requests.join(', ')}`,
    connections > 0 && `the replay reached ${agent.needs?.join(' or ')}: ${connections} connections`,
  ];
}

/** What the harness itself, and the server beside the agent, keep there. */
const NOT_THE_AGENTS = ['.replay', 'config', 'node_modules', 'report.json', 'server.sock'];

/** Every file with its size and the times of its last changes. */
function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below)).filter((name) => below !== '' || !NOT_THE_AGENTS.includes(name)).flatMap((name) => {
    const path = join(below, name);
    const stats = lstatSync(join(folder, path));
    return [`${path} ${stats.mode.toString(8)} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`, ...(stats.isDirectory() ? filesIn(folder, path) : [])];
  });
}

/** @returns a fault for each file that is not what it was */
function changesSince(before: readonly string[], folder: string): string[] {
  const now = filesIn(folder);
  return [...before.filter((file) => !now.includes(file)), ...now.filter((file) => !before.includes(file))].map((file) => `the replay changed a file: ${file}`);
}

function recordingFaults({ exitCode, preload }: AgentCase, recorded: Harnessed): Fault[] {
  const expectedOwn = preload === 'cli' ? /^replay-harness: recorded [^\n]*\n$/ : /^$/;
  return [endFault('recorded', exitCode, recorded), !expectedOwn.test(recorded.ownStderr) && `recording said ${JSON.stringify(recorded.ownStderr)}`];
}

function differencesFromBare({ exitCode, sameAsBare, sameToVisitors = all }: AgentCase, recorded: Harnessed, bare: Execution): Fault[] {
  return [
    endFault('bare', exitCode, bare),
    difference('what visitors saw', ['bare', 'recorded'], Buffer.from(sameToVisitors(bare.visited)), Buffer.from(sameToVisitors(recorded.visited))),
    sameAsBare && difference('stdout', ['bare', 'recorded'], Buffer.from(sameAsBare(bare.stdout.toString())), Buffer.from(sameAsBare(recorded.stdout.toString()))),
  ];
}

function endFault(name: string, expected: AgentCase['exitCode'] = 0, { exitCode, signal, stderr }: Execution): Fault {
  const codes: readonly (number | null)[] = typeof expected === 'number' ? [expected] : expected;
  return !codes.includes(exitCode) && `the ${name} run ended with ${exitCode ?? signal}, not ${codes.join(' or ')}\n${stderr.toString().slice(-2000)}`;
}

function replayFaults(recorded: Harnessed, replayed: Replayed): Fault[] {
  const { report } = replayed;
  return [
    report?.verdict !== 'identical' && `the verdict is ${report?.verdict ?? 'missing'}: ${replayed.ownStderr || replayed.stderr.toString().slice(-2000)}`,
    difference('stdout', ['recorded', 'replayed'], recorded.stdout, replayed.stdout),
    difference('stderr', ['recorded', 'replayed'], recorded.agentStderr, replayed.agentStderr),
    recorded.exitCode !== replayed.exitCode && `exit code ${replayed.exitCode ?? replayed.signal}, recorded ${recorded.exitCode}`,
    report !== undefined && report.liveCalls !== 0 && `${report.liveCalls} live calls`,
  ];
}

function throwIfAny(faults: readonly Fault[]): void {
  const found = real(faults);
  if (found.length > 0) throw new Error(found.join('\n  '));
}

function real(faults: readonly Fault[]): string[] {
  return faults.filter((fault) => typeof fault === 'string');
}

/**
 * A bare run differs from the next one too where the pace of the machine decides. The recorded run has to be what a bare
 * run can be, so it is held against several before it counts as another.
 */
export async function untilNone<Run>(first: Run, faultsOf: (run: Run) => readonly Fault[], again: () => Promise<Run>): Promise<string[]> {
  let faults = real(faultsOf(first));
  for (let run = 1; faults.length > 0 && run < BARE_RUNS; run++) faults = real(faultsOf(await again()));
  return faults;
}
