/** One process at a time has the embedded database: others wait, and say for whom. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lockDatabase } from '../../../src/store/sql/lock.ts';
import { CLI } from '../../support/paths.ts';
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

it('command lines on one store wait for it, say for whom, and do nothing twice', async () => {
  const workspace = testWorkspace();
  const held = await lockDatabase(workspace.store);
  const running = Array.from({ length: 2 }, () => {
    const child = spawn(process.execPath, [CLI, 'migrate', '--json'], { cwd: workspace.folder, env: { PATH: process.env['PATH'], HOME: workspace.folder }, stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, printed]: string[][] = [[], []];
    const waits = new Promise<void>((resolve) => child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said?.push(text);
      if (said?.join('').includes('waiting')) resolve();
    }));
    child.stdout.setEncoding('utf8').on('data', (text: string) => void printed?.push(text));
    return { waits, ended: once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number, said: said?.join(''), printed: printed?.join('') ?? '' })) };
  });
  await Promise.all(running.map(({ waits }) => waits));
  held.release();
  const ended = await Promise.all(running.map((one) => one.ended));
  for (const { exitCode, said } of ended) {
    expect(exitCode, said).toBe(0);
    expect(said).toMatch(new RegExp(`^replay-harness: the database of .* is in use by process ${process.pid} \\(.*\\); waiting\n$`));
  }
  const applied = ended.map(({ printed }) => (JSON.parse(printed) as { applied: unknown[] }).applied.length);
  expect(applied.filter((count) => count > 0)).toHaveLength(1);
  expect((await workspace.cli(['migrate'])).stdout.toString()).toMatch(/is at version \d+ already/);
});
