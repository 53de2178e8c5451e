/** What has to hold whatever happens to the store: the agent is as bare, one line says what is lost, what is there can be read. */
import { expect, vi } from 'vitest';
import type { Execution } from '../support/execute.ts';
import { ownText, withoutOwn } from '../support/own-lines.ts';
import type { RecordOptions, Workspace } from '../support/workspace.ts';

export const STEADY = 'faults/steady.mjs';

/** Bare and recorded; `meanwhile` happens while the agent waits for it. */
export async function goesOn(workspace: Workspace, options: RecordOptions, line: RegExp, meanwhile?: () => void): Promise<Execution> {
  const env = { ...options.env, ...(meanwhile && { WAIT_AT: '50' }) };
  const bare = await run(workspace, { ...options, env }, 'bare', meanwhile && (() => {}));
  const recorded = await run(workspace, { ...options, env }, 'record', meanwhile);
  expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
  expect(recorded).toMatchObject({ exitCode: 6, signal: null });
  expect(withoutOwn(recorded.stderr).toString()).toBe('');
  expect(ownText(recorded.stderr)).toMatch(line);
  expect(ownText(recorded.stderr).match(/\n/g)).toHaveLength(1);
  return recorded;
}

async function run(workspace: Workspace, options: RecordOptions, mode: 'bare' | 'record', meanwhile: (() => void) | undefined): Promise<Execution> {
  const env = { ...options.env, REPLAY_HARNESS_MODE: mode === 'bare' ? 'off' : 'record' };
  const running = workspace.startRecording(STEADY, { ...options, env });
  if (meanwhile) {
    await vi.waitUntil(() => running.stdout().includes('waiting'), 60_000);
    meanwhile();
    running.child.kill('SIGUSR2');
  }
  return running.ended;
}

/** The recording opens, is listed as truncated, and replays to its last event. @returns what the replay printed */
export async function isTruncated(workspace: Workspace, store: string, recorded: Execution): Promise<string> {
  const env = { REPLAY_HARNESS_STORE: store };
  const listed = await workspace.cli(['runs', '--json'], { env });
  expect(listed).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ status: 'truncated' }]);
  const checked = await workspace.cli(['check', 'latest'], { env });
  expect(checked.stdout.toString()).toMatch(/ok \(truncated\)/);
  const { exitCode, report, stdout, ownStderr } = await workspace.replay('latest', { env });
  expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 7, verdict: 'truncated' });
  expect(recorded.stdout.toString().startsWith(stdout.toString())).toBe(true);
  return stdout.toString();
}
