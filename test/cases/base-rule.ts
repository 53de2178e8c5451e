/** The rule that every case asserts: replay equals record byte for byte, the server hears nothing of it, record equals bare save for time and chance. */
import { expect } from 'vitest';
import { type DatabaseName, databasesFor } from '../support/databases/index.ts';
import { difference } from '../support/difference.ts';
import type { Execution } from '../support/execute.ts';
import { untilNone } from '../support/record-and-replay.ts';
import type { TestServer } from '../support/server.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Harnessed, RecordOptions, Replayed, Workspace } from '../support/workspace.ts';

export interface Case {
  readonly workspace: Workspace;
  readonly server: TestServer;
  readonly bare: string;
  readonly recorded: Harnessed;
  /** What the recorded run asked of the server: `METHOD /path`. */
  readonly requests: readonly string[];
  /** Connections that it opened, and requests to the model. */
  readonly hits: number;
  /** Replays once more, with the server up, and holds the replay against the recording. */
  replay(args?: readonly string[]): Promise<Replayed>;
}

interface CaseOptions extends RecordOptions {
  /** Before the first run: files that the agent reads. */
  readonly prepare?: (workspace: Workspace) => void;
  /** Before the recorded run: takes back what the bare one did. */
  readonly undo?: (workspace: Workspace) => void;
  readonly needs?: readonly DatabaseName[];
  /** Program of a server beside the others. */
  readonly companion?: string;
}

/** @param aside takes what time and chance decide out of the output */
export async function holdsBaseRule(agent: string, aside: (stdout: string) => string, { prepare, undo, needs, companion, ...options }: CaseOptions = {}): Promise<Case> {
  const workspace = testWorkspace();
  prepare?.(workspace);
  const server = await testServer(workspace, companion);
  const databases = await databasesFor(needs);
  const env = { ...server.env, ...databases.env, ...options.env };
  const runBare = (): Promise<Execution> => workspace.bare(agent, { ...options, env });
  const bare = await runBare();
  await server.stop();
  await server.start();
  undo?.(workspace);
  const recorded = await workspace.record(agent, { ...options, env });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: bare.exitCode, signal: null, ownStderr: '' });
  const { hits, requests } = { hits: server.hits, requests: [...server.requests] };
  expect(await untilNone(bare, ({ stdout }) => [difference('stdout', ['bare', 'recorded'], Buffer.from(aside(stdout.toString())), Buffer.from(aside(recorded.stdout.toString())))], () => (undo?.(workspace), runBare()))).toEqual([]);

  await Promise.all([server.stop(), databases.stop()]);
  await Promise.all([server.provesStopped(), databases.provesStopped()]);
  expectSame(recorded, await workspace.replay());
  const replay = async (args: readonly string[] = []): Promise<Replayed> => {
    await Promise.all([server.stop(), databases.stop()]);
    await Promise.all([server.start(), databases.start()]);
    const replayed = await workspace.replay('latest', { args });
    expectSame(recorded, replayed);
    expect({ server: server.hits, databases: await databases.hits() }).toEqual({ server: 0, databases: 0 });
    return replayed;
  };
  await replay();
  return { workspace, server, bare: bare.stdout.toString(), recorded, requests, hits, replay };
}

function expectSame(recorded: Harnessed, replayed: Replayed): void {
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  expect(replayed.agentStderr.toString()).toBe(recorded.agentStderr.toString());
  expect(replayed.exitCode).toBe(recorded.exitCode);
}

/** Ids, hashes and figures. */
export function withoutChance(stdout: string): string {
  return stdout.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID').replace(/\b[0-9a-f]{64}\b/g, 'HASH');
}
