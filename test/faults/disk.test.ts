import { describe, expect, it } from 'vitest';
import { empty, fill, resize, smallDisk } from '../support/small-disk.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { goesOn, isTruncated, STEADY } from './fault.ts';

const NO_ROOM = /^replay-harness: [^\n]*ENOSPC[^\n]*\n$/;

describe('a disk that is full', () => {
  it('at the start', async (context) => {
    const workspace = testWorkspace();
    const store = `${smallDisk(workspace, 'size=1m', context)}/.replay`;
    fill(workspace.path('disk'));
    await goesOn(workspace, { env: { REPLAY_HARNESS_STORE: store } }, NO_ROOM);
    const listed = await workspace.cli(['runs'], { env: { REPLAY_HARNESS_STORE: store } });
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.any(Buffer) });
    expect(listed.stdout.toString()).toMatch(/^no runs/);
  });

  it('in the middle', async (context) => {
    const workspace = testWorkspace();
    const store = `${smallDisk(workspace, 'size=1m', context)}/.replay`;
    const recorded = await goesOn(workspace, { env: { REPLAY_HARNESS_STORE: store, LINES: '600', SIZE: '4000' } }, NO_ROOM);
    expect((await isTruncated(workspace, store, recorded)).length).toBeGreaterThan(500_000);
  });

  it('while the agent waits, up to its end', async (context) => {
    const workspace = testWorkspace();
    const disk = smallDisk(workspace, 'size=1m', context);
    const recorded = await goesOn(workspace, { env: { REPLAY_HARNESS_STORE: `${disk}/.replay`, SIZE: '1000' } }, NO_ROOM, () => fill(disk));
    expect(await isTruncated(workspace, `${disk}/.replay`, recorded)).toMatch(/waiting/);
  });

  it('at any kilobyte from the first file to the seal', { timeout: 300_000 }, async (context) => {
    const workspace = testWorkspace();
    const disk = smallDisk(workspace, 'size=64k', context);
    const bare = await workspace.bare(STEADY);
    let complete = 0;
    for (let kilobytes = 4; kilobytes <= 64; kilobytes += 4) {
      const store = `${disk}/${kilobytes}`;
      resize(disk, kilobytes);
      const recorded = await workspace.record(STEADY, { env: { REPLAY_HARNESS_STORE: store } });
      expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
      expect(recorded.exitCode).toBe(6);
      if (recorded.ownStderr === '') complete++;
      else expect(recorded.ownStderr).toMatch(NO_ROOM);
      const { exitCode, stderr } = await workspace.replay('latest', { env: { REPLAY_HARNESS_STORE: store } });
      // Where there was room for all but the manifest's last word, nothing is lost.
      if (recorded.ownStderr === '' || /is whole/.test(recorded.ownStderr)) expect(exitCode, stderr.toString()).toBe(6);
      else expect([2, 7], stderr.toString()).toContain(exitCode);
      empty(disk);
    }
    expect(complete).toBeGreaterThan(0);
    expect(complete).toBeLessThan(16);
  });

  it('by the limit of a file’s size', async () => {
    const workspace = testWorkspace();
    const env = { LINES: '100', SIZE: '4000', REPLAY_HARNESS_STORE: workspace.store };
    const bare = await workspace.bare(STEADY, { env });
    const recorded = await workspace.shell('ulimit -f 128; exec "$@"', STEADY, { env });
    expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
    expect(recorded.exitCode).toBe(6);
    expect(recorded.ownStderr).toMatch(/^replay-harness: [^\n]*EFBIG[^\n]*\n$/);
    expect((await isTruncated(workspace, workspace.store, recorded)).length).toBeGreaterThan(30_000);
  });

  it('by the number of its files', async (context) => {
    const workspace = testWorkspace();
    const store = `${smallDisk(workspace, 'size=1m,nr_inodes=4', context)}/.replay`;
    await goesOn(workspace, { env: { REPLAY_HARNESS_STORE: store } }, NO_ROOM);
  });
});
