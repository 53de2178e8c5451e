/** vitest's globalSetup, once per run, and the first thing that stress does: builds when the build is older than its sources, and installs what agents of the tests import. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, PACKAGES, ROOT } from './paths.ts';

const SOURCES = ['src', 'loader', 'scripts', 'package.json'];

export default function setup(): void {
  if (process.env['HARNESS_DIST'] === undefined && !isBuilt()) execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { cwd: ROOT, stdio: 'inherit' });
  if (!isInstalled()) execFileSync('npm', ['ci', '--prefix', PACKAGES, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: ROOT, stdio: 'inherit' });
}

function isBuilt(): boolean {
  if (!existsSync(CLI)) return false;
  const built = statSync(CLI).mtimeMs;
  return SOURCES.every((source) => filesOf(join(ROOT, source)).every((file) => statSync(file).mtimeMs <= built));
}

/** npm writes its own list last: a folder without it is half an installation. */
function isInstalled(): boolean {
  const installed = join(PACKAGES, 'node_modules/.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(PACKAGES, 'package-lock.json')).mtimeMs;
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name)).filter((file) => statSync(file).isFile());
}
