/** Native addons: named and refused, or declared pure and run for real in both modes. The last two are the worked examples of docs/native-addons.md. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.ts';
import { recordAndReplay } from '../support/record-and-replay.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const FOLDER = join(ROOT, 'test/addons');
const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const ROUNDS = Number(process.env['REPEAT'] ?? 3);

const declare = (nativeAddons: Readonly<Record<string, string>>) => (workspace: Workspace): void => void workspace.write('replay-harness.json', JSON.stringify({ nativeAddons }));

const build = mkdtempSync(join(tmpdir(), 'replay-harness-addon-'));
const addon = join(build, 'addon.node');
execFileSync('cc', ['-shared', '-fPIC', '-o', addon, join(FOLDER, 'addon.c')]);
afterAll(() => rmSync(build, { recursive: true }));

describe('an addon of the program’s own', () => {
  it('is named when it is loaded, and refused in replay', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const env = { ...server.env, ADDON: addon };
    const recorded = await workspace.record(join(FOLDER, 'computes.mjs'), { env });
    expect(recorded.exitCode).toBe(0);
    expect(recorded.ownStderr).toMatch(/^replay-harness: not captured: a native addon \(addon\.node\) at [^\n]*computes\.mjs[^\n]*; a replay of this run will stop there\n$/);
    // Declared behind the recording, its late calls are not in it.
    declare({ 'addon.node': 'pure' })(workspace);
    await server.stop();
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'blocked', blocked: ['a native addon (addon.node)'] } });
    expect(replayed.ownStderr).toContain('nativeAddons');
    expect(replayed.stdout.toString()).toBe('');
  });

  it.each(['addon.node', '**/*.node', addon])('declared pure as %s: what it calls back later comes in the recorded turn', async (pattern) => {
    for (let round = 0; round < ROUNDS; round++) await recordAndReplay({ agent: join(FOLDER, 'computes.mjs'), env: { ADDON: addon }, prepare: declare({ [pattern]: 'pure' }) }, round);
  });

  it('another one’s declaration does not count', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    declare({ 'other.node': 'pure', addon: 'pure', '*/addon': 'pure' })(workspace);
    const recorded = await workspace.record(join(FOLDER, 'computes.mjs'), { env: { ...server.env, ADDON: addon } });
    expect(recorded.ownStderr).toContain('a native addon (addon.node)');
  });
});

describe('packages', { timeout: 300_000 }, () => {
  beforeAll(() => {
    const installed = join(FOLDER, 'node_modules/.package-lock.json');
    if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(FOLDER, 'package-lock.json')).mtimeMs) return;
    execFileSync('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: ROOT, stdio: 'inherit' });
  }, 300_000);

  it('sharp, declared pure: pictures in memory', async () => {
    for (let round = 0; round < ROUNDS; round++) await recordAndReplay({ agent: join(FOLDER, 'pictures.mjs'), prepare: declare({ sharp: 'pure' }) }, round);
  });

  it.runIf(NODE_MAJOR >= 22)('better-sqlite3, declared pure: a database in memory', async () => {
    for (let round = 0; round < ROUNDS; round++) await recordAndReplay({ agent: join(FOLDER, 'database.mjs'), prepare: declare({ 'better-sqlite3': 'pure' }) }, round);
  });

  it('sharp, not declared: named with its package', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const recorded = await workspace.record(join(FOLDER, 'pictures.mjs'), { env: server.env });
    expect(recorded.exitCode).toBe(0);
    expect(recorded.ownStderr).toMatch(/not captured: a native addon \(sharp[^)]*\.node of @img\/sharp-[^)]*\)/);
  });
});
