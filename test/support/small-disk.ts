/** A file system of its own, as small as wanted; needs the right to mount. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { onTestFinished, type TestContext } from 'vitest';
import type { Workspace } from './workspace.ts';

/** @param options of mount's `-o` @returns the folder; skips the test, and says why, where mounting is not allowed */
export function smallDisk(workspace: Workspace, options: string, { skip }: TestContext): string {
  const folder = workspace.path('disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    skip(`no small file system can be mounted here: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Writes until not a byte is left. */
export function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(`${folder}/filler`, Buffer.alloc(bavail * bsize));
}

export function resize(folder: string, kilobytes: number): void {
  execFileSync('mount', ['-o', `remount,size=${kilobytes}k`, folder]);
}

export function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true });
}
