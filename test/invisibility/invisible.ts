/** A program that probes what is around it, bare, recorded and replayed: it can tell none of the three from another. */
import { expect } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { RecordOptions } from '../support/workspace.ts';

/** @param aside takes out of an output what time and chance decide */
export async function expectInvisible(agent: string, options: RecordOptions = {}, aside: (output: string) => string = (output) => output): Promise<void> {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const asked = { ...options, env: { ...server.env, ...options.env } };
  const bare = await workspace.bare(agent, asked);
  const recorded = await workspace.record(agent, asked);
  await server.stop();
  const replayed = await workspace.replay();

  const without = (output: Buffer): string => aside(output.toString().replaceAll(/\(node:\d+\)/g, '(node:PID)'));
  expect(recorded.ownStderr).toBe('');
  expect(without(recorded.stdout)).toBe(without(bare.stdout));
  expect(without(recorded.stderr)).toBe(without(bare.stderr));
  expect([recorded.exitCode, recorded.signal]).toEqual([bare.exitCode, bare.signal]);

  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  expect(replayed.agentStderr.toString()).toBe(recorded.stderr.toString());
  expect(replayed.exitCode).toBe(recorded.exitCode);
}
