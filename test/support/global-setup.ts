/** vitest's globalSetup: builds once per run, when the build is older than its sources. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, ROOT } from './paths.ts';

const SOURCES = ['src', 'loader', 'scripts', 'package.json'];

export default function setup(): void {
  if (process.env['HARNESS_DIST'] !== undefined || isFresh()) return;
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { cwd: ROOT, stdio: 'inherit' });
}

function isFresh(): boolean {
  if (!existsSync(CLI)) return false;
  const built = statSync(CLI).mtimeMs;
  return SOURCES.every((source) => filesOf(join(ROOT, source)).every((file) => statSync(file).mtimeMs <= built));
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name)).filter((file) => statSync(file).isFile());
}
