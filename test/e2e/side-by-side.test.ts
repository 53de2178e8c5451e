import { expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

it('runs recorded at the same time, into one store and with keys made on first use, each replay as themselves', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const ids = Array.from({ length: 5 }, (_, i) => `01900000-0000-7000-8000-00000000000${i}`);
  const recorded = await Promise.all(ids.map((id) => workspace.record('parallel-fetch.mjs', { env: { ...server.env, REPLAY_HARNESS_RUN: id } })));
  await server.stop();
  expect(workspace.runs()).toEqual(ids);
  for (const [i, id] of ids.entries()) {
    const replayed = await workspace.replay(id);
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ runId: id, verdict: 'identical' });
    expect(replayed.stdout).toEqual(recorded[i]?.stdout);
  }
});
