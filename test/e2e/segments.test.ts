import { readdirSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

it('a recording larger than one segment replays, and a missing segment is found', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const recorded = await workspace.record('large-download.mjs', { env: server.env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  await server.stop();
  const folder = `${workspace.store}/runs/${workspace.runs()[0]}`;
  const segments = readdirSync(folder).filter((name) => name.endsWith('.journal'));
  expect(segments.length).toBeGreaterThan(1);
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout).toEqual(recorded.stdout);

  for (const segment of segments) {
    renameSync(`${folder}/${segment}`, workspace.path(segment));
    const refused = await workspace.cli(['replay', 'latest']);
    expect(refused.exitCode, refused.stderr.toString()).toBe(4);
    renameSync(workspace.path(segment), `${folder}/${segment}`);
  }
  rmSync(folder, { recursive: true });
});
