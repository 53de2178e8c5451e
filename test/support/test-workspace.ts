/** Workspace and server of one vitest test: gone when it passes, kept and named when it fails. */
import { onTestFinished } from 'vitest';
import { TestServer } from './server.ts';
import { Workspace } from './workspace.ts';

export function testWorkspace(env?: Readonly<Record<string, string>>): Workspace {
  const workspace = new Workspace(env);
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`kept in ${workspace.folder}; by hand:\n  ${workspace.replayByHand()}`);
    else workspace.remove();
  });
  return workspace;
}

export async function testServer(workspace: Workspace, companion?: string): Promise<TestServer> {
  const server = new TestServer(workspace.folder, companion);
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}
