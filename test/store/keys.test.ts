/** Who can read a recording, and who cannot. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createKeyPair } from '../../src/journal/crypto.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const AGENT = 'console.log(process.env.GREETING ?? "nobody", Math.random());\n';

interface Keys {
  readonly recipient: string | null;
  readonly identityFile: string | null;
  readonly sealsTo: readonly string[];
  readonly reads: readonly string[];
}

async function keysOf(workspace: Workspace, env: Readonly<Record<string, string>> = {}): Promise<Keys> {
  const { stdout, stderr, exitCode } = await workspace.cli(['keys', '--json'], { env });
  expect(exitCode, stderr.toString()).toBe(0);
  return JSON.parse(stdout.toString()) as Keys;
}

it('a host that has only a recipient records, and cannot read what it recorded', async () => {
  const workspace = testWorkspace();
  const pair = createKeyPair();
  const host = { REPLAY_HARNESS_RECIPIENT: pair.recipient };
  const recorded = await workspace.record(workspace.write('agent.mjs', AGENT), { env: host });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  expect(await keysOf(workspace, host)).toEqual({ recipient: null, identityFile: null, sealsTo: [pair.recipient], reads: [] });
  expect((await workspace.cli(['keys'], { env: host })).stdout.toString()).toContain('this host records and cannot read what it recorded');
  for (const verb of [['show', 'latest'], ['show', 'latest', '--json'], ['replay', 'latest'], ['vault', 'latest', '--purpose', 'x'], ['diff', 'latest', 'latest']]) {
    const refused = await workspace.cli(verb, { env: host });
    expect({ verb, exitCode: refused.exitCode, stdout: refused.stdout.toString() }).toEqual({ verb, exitCode: 2, stdout: '' });
    expect(refused.stderr.toString()).toMatch(new RegExp(`^replay-harness: .* is sealed to ${pair.recipient}, and no identity here opens it`));
  }
  const [listed] = JSON.parse((await workspace.cli(['runs', '--json'], { env: host })).stdout.toString()) as [{ status: string; steps: number | null; command: unknown }];
  expect(listed).toMatchObject({ status: 'complete', steps: null, command: null });
  expect(existsSync(workspace.path('config/replay-harness'))).toBe(false);

  // Elsewhere, with the private key: as a file, and from a command.
  const identity = workspace.write('identity', `${pair.identity}\n`);
  for (const given of [identity, `cmd:cat ${identity}`]) {
    expect((await workspace.replay('latest', { env: { REPLAY_HARNESS_IDENTITY: given } })).report?.verdict).toBe('identical');
    expect(await keysOf(workspace, { ...host, REPLAY_HARNESS_IDENTITY: given })).toMatchObject({ recipient: null, reads: [pair.recipient] });
  }
});

it('each of several recipients reads, by the environment or by the configuration, and nobody else', async () => {
  const workspace = testWorkspace();
  const agent = workspace.write('agent.mjs', AGENT);
  const [one, two, stranger] = [createKeyPair(), createKeyPair(), createKeyPair()];
  const reads = async (identity: string): Promise<number | null> => (await workspace.cli(['show', 'latest'], { env: { REPLAY_HARNESS_IDENTITY: workspace.write('identity', `# of a test\n${identity}\n`) } })).exitCode;
  await workspace.record(agent, { env: { REPLAY_HARNESS_RECIPIENT: `${one.recipient}, ${two.recipient}` } });
  expect([await reads(one.identity), await reads(two.identity), await reads(stranger.identity)]).toEqual([0, 0, 2]);
  workspace.write('replay-harness.json', JSON.stringify({ recipient: [two.recipient, stranger.recipient] }));
  await workspace.record(agent);
  expect([await reads(one.identity), await reads(two.identity), await reads(stranger.identity)]).toEqual([2, 0, 0]);
});

it('a pair is replaced by a new one, and what was recorded before stays readable', async () => {
  const workspace = testWorkspace();
  const agent = workspace.write('agent.mjs', AGENT);
  const before = await keysOf(workspace);
  await workspace.record(agent);
  const [old] = workspace.runs() as [string];
  const file = before.identityFile as string;
  renameSync(file, workspace.path('old-identity'));
  const after = await keysOf(workspace);
  expect(after.recipient).not.toBe(before.recipient);
  expect((await workspace.cli(['show', old])).exitCode).toBe(2);
  appendFileSync(file, readFileSync(workspace.path('old-identity')));
  expect(await keysOf(workspace)).toMatchObject({ recipient: after.recipient, sealsTo: [after.recipient], reads: [after.recipient, before.recipient] });
  await workspace.record(agent);
  for (const run of workspace.runs()) expect((await workspace.replay(run)).report?.verdict).toBe('identical');
});

it('a command that fails is named without the key that it may hold', async () => {
  const workspace = testWorkspace();
  const { identity, recipient } = createKeyPair();
  await workspace.record(workspace.write('agent.mjs', AGENT), { env: { REPLAY_HARNESS_RECIPIENT: recipient } });
  const refused = await workspace.cli(['show', 'latest'], { env: { REPLAY_HARNESS_IDENTITY: `cmd:exit 1; echo ${identity}` } });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr.toString()).toMatch(/the command "exit 1; echo RH-IDENTITY-…" failed/);
  writeFileSync(workspace.path('identity'), identity);
  expect((await workspace.cli(['show', 'latest'], { env: { REPLAY_HARNESS_IDENTITY: `cmd:cat ${workspace.path('identity')}` } })).exitCode).toBe(0);
});
