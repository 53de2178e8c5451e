/** Two hosts: each has keys, a home and a store of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { agentPath } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Harnessed, Preload, Workspace } from '../support/workspace.ts';

export const API_KEY = 'sk-proj-4fT9aQ2LxW8vZ1nB7cR5dY3e';

export interface Handed {
  /** Where it was recorded. */
  readonly a: Workspace;
  /** Where it is imported. */
  readonly b: Workspace;
  readonly run: string;
  readonly recorded: Harnessed;
  /** The program, at its place on host B. */
  readonly program: string;
}

/** Records the agent on host A against a server that is gone afterwards, and lays a copy of the program on host B. */
export async function recordedOnA(agent: string = 'export/uses-key.mjs', { preload = 'import', args = [] }: { readonly preload?: Preload; readonly args?: readonly string[] } = {}): Promise<Handed> {
  const a = testWorkspace();
  const b = testWorkspace();
  const server = await testServer(a);
  const recorded = await a.record(agent, { preload, args, env: { ...server.env, API_KEY } });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  await server.stop();
  await server.provesStopped();
  const program = b.write(agent.split('/').at(-1) as string, readFileSync(agentPath(agent)));
  const { id } = (JSON.parse((await a.cli(['runs', '--json'])).stdout.toString()) as { id: string; parentRunId: string | null }[]).find(({ parentRunId }) => parentRunId === null) as { id: string };
  return { a, b, run: id, recorded, program };
}

/** Public key of that host's user. */
export async function keyOf(host: Workspace): Promise<string> {
  return (JSON.parse((await host.cli(['keys', '--json'])).stdout.toString()) as { recipient: string }).recipient;
}

/** Exported on A, and carried to B. */
export async function exported({ a, b, run }: Handed, ...options: string[]): Promise<string> {
  const file = a.path('handed.replay');
  const done = await a.cli(['export', run, '--output', file, ...options]);
  expect(done.exitCode, done.stderr.toString()).toBe(0);
  const carried = b.path('handed.replay');
  writeFileSync(carried, readFileSync(file));
  return carried;
}


/** Raw, in every base64 that a text may be cut into, in percent-encoding, in hex, and in what is gzipped. */
export function expectWithout(bytes: Buffer, secret: string): void {
  const text = bytes.latin1Slice();
  const base64 = [0, 1, 2].map((shift) => Buffer.from(`${'x'.repeat(shift)}${secret}`).toString('base64').slice(shift === 0 ? 0 : 4, -4));
  for (const form of [secret, encodeURIComponent(secret), ...base64, ...base64.map((part) => part.replaceAll('+', '-').replaceAll('/', '_')), Buffer.from(secret).toString('hex')]) expect(text.includes(form), form).toBe(false);
  for (let at = bytes.indexOf('\x1f\x8b', 0, 'latin1'); at >= 0; at = bytes.indexOf('\x1f\x8b', at + 1, 'latin1')) {
    let plain = Buffer.alloc(0);
    try {
      plain = gunzipSync(bytes.subarray(at), { finishFlush: 2 });
    } catch {
      continue;
    }
    expect(plain.includes(secret)).toBe(false);
  }
}
