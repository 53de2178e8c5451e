/** kill -9 at a random moment of a recording, and what has to hold of what is left. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestServer } from './server.ts';
import { Workspace } from './workspace.ts';

/** Lines after which the agent is killed: none (while it starts) to many. */
const MAX_LINES = 25;

/** One killing. @throws Error that says what does not hold and where the recording lies. */
export async function killAndReplay(): Promise<void> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder);
  try {
    await server.start();
    const running = workspace.startRecording('long-runner.mjs', { env: server.env });
    await untilLines(running.stdout, randomInt(MAX_LINES), () => workspace.runs().length > 0);
    // Anywhere within a round, not only at its end.
    await sleep(randomInt(15));
    running.child.kill('SIGKILL');
    const { stdout: printed, signal } = await running.ended;
    if (signal !== 'SIGKILL') throw new Error(`the agent ended by itself (${signal})`);
    await server.stop();
    await prove(workspace, printed.toString());
    workspace.remove();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n  kept in ${workspace.folder}; by hand:\n  ${workspace.replayByHand()}`);
  } finally {
    await server.stop();
  }
}

async function prove(workspace: Workspace, printed: string): Promise<void> {
  const checked = await workspace.cli(['check', 'latest']);
  if (checked.exitCode !== 0 || !/ok \(truncated\)/.test(checked.stdout.toString())) throw new Error(`check: exit ${checked.exitCode}, ${checked.stdout}${checked.stderr}`);
  const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ status: string }];
  if (run.status !== 'truncated') throw new Error(`the run is listed as ${run.status}`);

  const { report, exitCode, stdout, stderr } = await workspace.replay();
  if (report?.verdict !== 'truncated' || exitCode !== 7) throw new Error(`the verdict is ${report?.verdict}, exit code ${exitCode}: ${stderr.toString().slice(-1500)}`);
  if (report.liveCalls !== 0) throw new Error(`${report.liveCalls} live calls`);
  const replayed = stdout.toString();
  // What is printed is on disk first: a kill between the two leaves one line that was never seen.
  if (!replayed.startsWith(printed) && !printed.startsWith(replayed)) throw new Error(`printed and replayed part: ${printed.slice(-200)} against ${replayed.slice(-200)}`);
  const lines = replayed.split('\n').length - printed.split('\n').length;
  if (Math.abs(lines) > 1) throw new Error(`${-lines} lines are lost: ${printed.split('\n').length} printed, ${replayed.split('\n').length} replayed`);
}

async function untilLines(stdout: () => Buffer, lines: number, begun: () => boolean): Promise<void> {
  while (!begun() || stdout().toString().split('\n').length <= lines) await sleep(1);
}
