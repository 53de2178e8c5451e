import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Replayed } from '../support/workspace.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

/** Records the assistant, edits it, replays with the server up. */
async function replayEdited(from: string, to: string): Promise<{ replayed: Replayed; hits: number; url: string }> {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  workspace.write('rules.txt', 'Be brief.');
  const agent = workspace.copy('assistant.mjs');
  expect((await workspace.record(agent, { env: server.env })).exitCode).toBe(0);
  writeFileSync(agent, readFileSync(agent, 'utf8').replace(from, to));
  await server.stop();
  await server.start();
  return { replayed: await workspace.replay(), hits: server.hits, url: server.url };
}

it('S06a a changed prompt is a divergence with method, URL and field; nothing goes live', async () => {
  const { replayed, hits, url } = await replayEdited('Lisbon', 'Madrid');
  expect(hits).toBe(0);
  expect(replayed.exitCode).toBe(3);
  for (const words of ['POST', `${url}/json?chat`, 'body.messages[1].content', 'Lisbon', 'Madrid']) expect(replayed.ownStderr).toContain(words);
});

it('S06b an extra call inside try and catch is one too', async () => {
  const { replayed, hits, url } = await replayEdited('const hotel', 'try { await fetch(`${server}/json?extra`); } catch {}\nconst hotel');
  expect(hits).toBe(0);
  expect(replayed.exitCode).toBe(3);
  expect(replayed.stdout.toString()).not.toContain('found');
  for (const words of ['GET', `${url}/json?extra`, 'first difference: url']) expect(replayed.ownStderr).toContain(words);
});

it('S06c batched telemetry from an interval does not disturb the replay, and is not sent again', async () => {
  const elsewhere = testWorkspace();
  const telemetry = await testServer(elsewhere);
  const { workspace, replay } = await holdsBaseRule('cases/s06-telemetry.mjs', withoutChance, {
    env: { TELEMETRY_URL: telemetry.url, REPLAY_HARNESS_CONFIG: elsewhere.write('replay-harness.json', JSON.stringify({ ignore: [new URL(telemetry.url).host] })) },
  });
  const uploaded = telemetry.requests.length;
  expect(uploaded).toBeGreaterThan(3);
  await replay();
  expect(telemetry.requests).toHaveLength(uploaded);
  expect(workspace.runs()).toHaveLength(1);
});
