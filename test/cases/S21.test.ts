import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

/** Ids of the run's own children differ from run to run. */
const aside = (stdout: string): string => stdout.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');

function repository(folder: string): void {
  const git = (...args: string[]): Buffer => execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: folder });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

it('S21 results of child processes, without git and in an empty folder', async () => {
  const { workspace, recorded, replay } = await holdsBaseRule('cases/s21-commands.mjs', aside, { prepare: ({ folder }) => repository(folder) });
  const stdout = recorded.stdout.toString();
  expect(stdout).toMatch(/^[0-9a-f]{40}\n/);
  expect(stdout).toMatch(/message: 'Command failed: echo x >> started; exit 3',[^}]*status: 3/);
  expect(stdout).toContain('7 null out');
  expect(stdout).toMatch(/message: 'spawn no-such-binary ENOENT',\s+code: 'ENOENT',\s+errno: -2,\s+syscall: 'spawn no-such-binary',\s+path: 'no-such-binary',\s+spawnargs: \[ '--flag' \]/);
  expect(stdout).toContain("[ null, 'SIGTERM' ]");
  expect(stdout).toMatch(/code: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'/);
  expect(stdout).toMatch(/\{ id: '[0-9a-f-]{36}', options: null \}/);

  for (const name of ['started', '.git']) rmSync(workspace.path(name), { recursive: true });
  await replay(['--env', 'PATH=']);
  expect(existsSync(workspace.path('started'))).toBe(false);
});
