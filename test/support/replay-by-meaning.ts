/** Records an agent on one Node version, stops the world, and replays it by meaning on others: nothing may differ. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { difference } from './difference.ts';
import { ROOT } from './paths.ts';
import type { AgentCase } from './record-and-replay.ts';
import { TestServer } from './server.ts';
import { type Replayed, Workspace } from './workspace.ts';

/** Node binaries by major version: the one that runs the tests, and those of test/nodes. */
export const RUNTIMES: ReadonlyMap<string, string> = new Map([
  ...['20', '22', '24', '26'].map((major) => [major, join(ROOT, `test/nodes/node_modules/node-${major}/bin/node`)] as const).filter(([, path]) => existsSync(path)),
  [process.versions.node.split('.', 1)[0] as string, process.execPath] as const,
]);

/** TEST_NODES=required: other versions have to be there. */
export function lacksRuntimes(): boolean {
  if (RUNTIMES.size > 1 || process.env['TEST_NODES'] === 'required') return false;
  console.warn('left out: replays by other Node versions, which are not installed (npm ci --prefix test/nodes --ignore-scripts)');
  return true;
}

/** @param on major versions that replay; the recorder's own replays with --loose. @throws Error that says what differs */
export async function replayByMeaning(agent: AgentCase, recorder: string, on: readonly string[] = [...RUNTIMES.keys()]): Promise<void> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder, agent.companion);
  const faults: string[] = [];
  try {
    await server.start();
    agent.prepare?.(workspace);
    const env = { ...server.env, ...(typeof agent.env === 'function' ? agent.env(server) : agent.env) };
    const recorded = await workspace.record(agent.agent, { ...agent, env, stdin: typeof agent.stdin === 'function' ? agent.stdin(workspace) : agent.stdin, runtime: RUNTIMES.get(recorder) as string });
    const expected: readonly (number | null)[] = typeof agent.exitCode === 'number' ? [agent.exitCode] : (agent.exitCode ?? [0]);
    if (!expected.includes(recorded.exitCode)) throw new Error(`the recorded run ended with ${recorded.exitCode}: ${recorded.stderr.toString().slice(-2000)}`);
    await server.stop();
    await server.provesStopped();
    agent.spoil?.(workspace);
    for (const major of on) {
      const replayed = await workspace.replay('latest', { args: major === recorder ? ['--loose', '--node', RUNTIMES.get(major) as string] : ['--node', RUNTIMES.get(major) as string] });
      faults.push(...replayFaults(replayed, recorded).map((fault) => `recorded on ${recorder}, replayed on ${major}: ${fault}`));
    }
    if (faults.length === 0) workspace.remove();
  } finally {
    await server.stop();
  }
  if (faults.length > 0) throw new Error(`${agent.agent}: ${faults.join('\n  ')}\n  kept in ${workspace.folder}; by hand:\n  ${workspace.replayByHand()}`);
}

function replayFaults(replayed: Replayed, recorded: { readonly stdout: Buffer; readonly exitCode: number | null }): string[] {
  const { report } = replayed;
  const faults = [
    (report?.verdict !== 'identical' || report.fidelity !== 'semantic') && `the verdict is ${report?.verdict ?? 'missing'} (${report?.fidelity}): ${replayed.ownStderr || replayed.stderr.toString().slice(-2000)}`,
    difference('stdout', ['recorded', 'replayed'], recorded.stdout, replayed.stdout),
    replayed.exitCode !== recorded.exitCode && `exit code ${replayed.exitCode}, recorded ${recorded.exitCode}`,
    report !== undefined && (report.liveCalls !== 0 || report.drifts.length > 0) && `${report.liveCalls} live calls, ${report.drifts.length} drifts`,
  ];
  return faults.filter((fault) => typeof fault === 'string');
}
