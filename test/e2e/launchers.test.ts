import { expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Listed {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly agent: string;
}

async function listed(workspace: Workspace): Promise<Listed[]> {
  return JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as Listed[];
}

it('npm and a shell are no runs: the program that they start is', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  workspace.copy('fetch-json.mjs');
  workspace.write('package.json', JSON.stringify({ name: 'started', scripts: { start: 'node fetch-json.mjs --flag' } }));
  const commands = [['npm', 'start', '--silent'], ['sh', '-c', 'node fetch-json.mjs --flag']];
  for (const command of commands) {
    const recorded = await workspace.cli(['record', '--', ...command], { env: server.env });
    expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
    const [newest] = await listed(workspace);
    expect(newest).toMatchObject({ agent: 'started', parentRunId: null });
    await server.stop();
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ runId: newest?.id, verdict: 'identical' });
    expect(replayed.stdout).toEqual(recorded.stdout);
    await server.start();
  }
  expect(await listed(workspace)).toHaveLength(commands.length);
});

it('of several programs below one command, the first is the root and the others its children', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  for (const agent of ['fetch-json.mjs', 'exit-code.mjs']) workspace.copy(agent);
  const recorded = await workspace.cli(['record', '--', 'sh', '-c', 'node fetch-json.mjs; node exit-code.mjs'], { env: server.env });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(4);
  await server.stop();
  const runs = await listed(workspace);
  const root = runs.find(({ parentRunId }) => parentRunId === null);
  expect(runs.filter(({ parentRunId }) => parentRunId === root?.id)).toHaveLength(1);
  expect(root?.agent).toBe('fetch-json.mjs');
  for (const { id } of runs) expect((await workspace.replay(id)).report).toMatchObject({ runId: id, verdict: 'identical' });
  expect((await workspace.replay('latest')).report?.runId).toBe(root?.id);
});
