/** One process at a time has the embedded database: others wait, and say for whom. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lockDatabase } from '../../../src/store/sql/lock.ts';
import { testWorkspace } from '../../support/test-workspace.ts';

const fileOf = (folder: string): string => `${folder}/database.lock`;

it('the next one waits until the lock is released, and is told once who has it', async () => {
  const { folder } = testWorkspace();
  const first = await lockDatabase(folder);
  const told: string[] = [];
  let isHeld = true;
  const second = lockDatabase(folder, (holder) => {
    told.push(holder);
    // It cannot have the lock yet.
    expect(isHeld).toBe(true);
    isHeld = false;
    first.release();
  });
  (await second).release();
  expect(isHeld).toBe(false);
  expect(told).toEqual([expect.stringMatching(new RegExp(`^process ${process.pid} \\(.+\\)$`))]);
  expect(existsSync(fileOf(folder))).toBe(false);
});

it('the lock of a process that was killed is nobody’s, however many want it at once', async () => {
  const { folder } = testWorkspace();
  (await lockDatabase(folder)).release();
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const held = await lockDatabase(folder);
  const holder = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as { pid: number; start: string };
  held.release();
  writeFileSync(fileOf(folder), JSON.stringify({ ...holder, pid: child.pid, start: 'of an earlier process of this number', token: 'stale' }));
  let inside = 0;
  let most = 0;
  await Promise.all(Array.from({ length: 8 }, async () => {
    const lock = await lockDatabase(folder);
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
    lock.release();
  }));
  expect(most).toBe(1);
  child.kill('SIGKILL');
});

it('a lock that was taken by another is not released', async () => {
  const { folder } = testWorkspace();
  const mine = await lockDatabase(folder);
  const holder = JSON.parse(readFileSync(fileOf(folder), 'utf8')) as object;
  writeFileSync(fileOf(folder), JSON.stringify({ ...holder, token: 'of another' }));
  mine.release();
  expect(existsSync(fileOf(folder))).toBe(true);
});

it('two command lines on one store: neither loses what the other writes', async () => {
  const workspace = testWorkspace();
  const both = await Promise.all([workspace.cli(['migrate', '--json']), workspace.cli(['migrate', '--json'])]);
  const applied = both.map(({ stdout, stderr, exitCode }) => {
    expect(exitCode, stderr.toString()).toBe(0);
    return (JSON.parse(stdout.toString()) as { applied: unknown[] }).applied.length;
  });
  expect(applied.filter((count) => count > 0)).toHaveLength(1);
  expect(both.some(({ stderr }) => /the database of .* is in use by process \d+ \(main\.mjs migrate\); waiting/.test(stderr.toString()))).toBe(true);
  expect((await workspace.cli(['migrate'])).stdout.toString()).toMatch(/is at version \d+ already/);
});
