/** A store that cannot be written, or that goes away while it is written. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLI } from '../support/paths.ts';
import { smallDisk } from '../support/small-disk.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';
import { goesOn } from './fault.ts';

const NOT_RECORDED = /^replay-harness: this run is not recorded[^\n]*\n$/;

function storeAt(path: string): { env: Record<string, string> } {
  return { env: { REPLAY_HARNESS_STORE: path } };
}

describe('a store that cannot be written', () => {
  it.each([
    ['below /proc', () => '/proc/replay-harness/store'],
    ['below a process’s own folder in /proc', () => '/proc/self/store'],
    ['below /sys', () => '/sys/replay-harness'],
    ['where a file is', (workspace: Workspace) => workspace.write('store', 'a file')],
    ['below a file', (workspace: Workspace) => `${workspace.write('store', 'a file')}/store`],
    ['/dev/full', () => '/dev/full'],
    ['with a name too long', () => `/tmp/${'x'.repeat(300)}`],
    ['with a file in place of its runs', (workspace: Workspace) => {
      mkdirSync(workspace.path('store'));
      workspace.write('store/runs', 'a file');
      return workspace.path('store');
    }],
  ])('%s', async (_, where) => {
    const workspace = testWorkspace();
    const store = where(workspace);
    await goesOn(workspace, storeAt(store), NOT_RECORDED);
    const listed = await workspace.cli(['runs'], storeAt(store));
    expect(listed.stderr.toString()).not.toMatch(/^\s+at /m);
    expect([0, 5]).toContain(listed.exitCode);
  });

  it('on a read-only file system', async (context) => {
    const workspace = testWorkspace();
    const disk = smallDisk(workspace, 'size=1m', context);
    mkdirSync(`${disk}/.replay`);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    await goesOn(workspace, storeAt(`${disk}/.replay`), NOT_RECORDED);
    await goesOn(workspace, storeAt(`${disk}/other`), NOT_RECORDED);
  });

  it('by a user without permission', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can become another user');
    const workspace = testWorkspace();
    chmodSync(workspace.folder, 0o755);
    mkdirSync(workspace.path('theirs'), { mode: 0o700 });
    await goesOn(workspace, { env: { REPLAY_HARNESS_STORE: workspace.path('theirs/store'), XDG_CONFIG_HOME: workspace.path('theirs') }, user: 54_321 }, NOT_RECORDED);
  });
});

describe('a user without a place for keys', () => {
  it.each([
    ['XDG_CONFIG_HOME below /proc', { XDG_CONFIG_HOME: '/proc/replay-harness' }],
    ['XDG_CONFIG_HOME below a file', { XDG_CONFIG_HOME: '/dev/null/config' }],
    ['HOME below /proc', { XDG_CONFIG_HOME: '', HOME: '/proc/self/home' }],
  ])('%s', async (_, env) => {
    const workspace = testWorkspace();
    await goesOn(workspace, { env }, NOT_RECORDED);
    expect(workspace.runs()).toEqual([]);
    const listed = await workspace.cli(['runs'], { env });
    expect(listed).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
    const keys = await workspace.cli(['keys'], { env });
    expect(keys.exitCode, keys.stderr.toString()).toBe(5);
    expect(keys.stderr.toString()).toMatch(/^replay-harness: [^\n]+\n$/);
  });

  it('no HOME, and no entry in the list of users', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can become a user whom nobody knows');
    const workspace = testWorkspace();
    chmodSync(workspace.folder, 0o777);
    await goesOn(workspace, { env: { XDG_CONFIG_HOME: '', HOME: '' }, user: 54_321 }, /^replay-harness: this run is not recorded\. This user has no home[^\n]*\n$/);
  });

  it('a damaged private key does not stop the agent', async () => {
    const workspace = testWorkspace();
    await workspace.cli(['keys']);
    const file = workspace.path('config/replay-harness/identity');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/RH-IDENTITY-./, 'RH-IDENTITY-*'));
    await goesOn(workspace, {}, /^replay-harness: this run is not recorded\. [^\n]*identity is damaged[^\n]*\n$/);
  });
});

describe('a store that goes away while the agent waits', () => {
  const LOST = /^replay-harness: the recording [^\n]* ENOENT[^\n]*\n$/;

  it('is removed', async () => {
    const workspace = testWorkspace();
    await goesOn(workspace, storeAt(workspace.store), LOST, () => rmSync(workspace.store, { recursive: true }));
    expect(workspace.runs()).toEqual([]);
  });

  it('is replaced by an empty one', async () => {
    const workspace = testWorkspace();
    await goesOn(workspace, storeAt(workspace.store), LOST, () => {
      rmSync(workspace.store, { recursive: true });
      mkdirSync(workspace.store);
    });
  });

  it('is moved: what was written is there, to its end', async () => {
    const workspace = testWorkspace();
    const moved = workspace.path('moved');
    const recorded = await goesOn(workspace, storeAt(workspace.store), LOST, () => renameSync(workspace.store, moved));
    const { exitCode, stdout, report } = await workspace.replay('latest', storeAt(moved));
    expect({ exitCode, verdict: report?.verdict, stdout }).toEqual({ exitCode: 6, verdict: 'identical', stdout: recorded.stdout });
  });

  it('the run’s folder alone is removed', async () => {
    const workspace = testWorkspace();
    await goesOn(workspace, storeAt(workspace.store), LOST, () => rmSync(`${workspace.store}/runs/${workspace.runs().at(-1)}`, { recursive: true }));
    expect(await workspace.cli(['runs'])).toMatchObject({ exitCode: 0 });
  });

  it('cannot be written under the command line either', async () => {
    const workspace = testWorkspace();
    const { stderr, exitCode } = await workspace.node([CLI, 'record', '--store', '/proc/none', '--', 'node', '-e', 'process.exitCode = 4']);
    // The agent ran to its end; that nothing of it was recorded is what the command line tells.
    expect(exitCode).toBe(5);
    expect(stderr.toString()).toMatch(/this run is not recorded/);
    expect(stderr.toString()).not.toMatch(/^\s+at /m);
  });
});
