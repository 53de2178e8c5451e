/** A machine in one zone records, a machine in another replays: namespaces with an /etc of their own stand for the two. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { type Execution, execute } from '../support/execute.ts';
import { agentPath, CLI, PRELOAD } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const hasNamespaces = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/etc']).status === 0;
const AGENT = agentPath('runtime/zone-of-host.mjs');

/** Runs node on a machine that is set to this zone. The engine goes by where the link leads, not by what is there. */
async function inZone(workspace: Workspace, zone: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = workspace.path(`zoneinfo/${zone}`);
  mkdirSync(dirname(file), { recursive: true });
  workspace.write(`zoneinfo/${zone}`, '');
  const script = 'mount -t tmpfs none /etc && ln -s "$0" /etc/localtime && exec "$@"';
  const { stdout, stderr, exitCode }: Execution = await execute({
    program: 'unshare', args: ['-Urm', 'sh', '-c', script, file, process.execPath, ...args], cwd: workspace.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config'), ...env },
  });
  expect(exitCode, stderr.toString()).toBe(0);
  return stdout.toString();
}

it.skipIf(!hasNamespaces).each([{}, { TZ: 'CET-1CEST' }])('the zone of the recording machine shows where another replays (environment %o)', async (env) => {
  const workspace = testWorkspace();
  const bare = await inZone(workspace, 'Asia/Kolkata', [AGENT], env);
  const recorded = await inZone(workspace, 'Asia/Kolkata', [...PRELOAD.import, AGENT], env);
  expect(recorded).toBe(bare);
  expect(recorded).toMatch(/17 -330 .*India Standard Time/);
  for (const zone of ['America/New_York', 'Asia/Kolkata']) {
    const replayed = await inZone(workspace, zone, [CLI, 'replay', 'latest', '--report', 'report.json']);
    expect(replayed).toBe(recorded);
    expect(JSON.parse(readFileSync(workspace.path('report.json'), 'utf8'))).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  }
});

it('a zone that is read from a file of the machine is named', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record('empty.mjs', { env: { TZ: ':/etc/localtime' } });
  expect(recorded.ownStderr).toMatch(/^replay-harness: not captured: the time zone of a file \(TZ=:\/etc\/localtime\)[^\n]*; a replay of this run may differ\n$/);
});
