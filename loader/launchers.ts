/** Programs that only start other programs: never runs themselves; what they start is. */
import { nativeFs, processEnv } from '../src/runtime/natives.ts';

/** Of the resolved path, so that links in a `.bin` folder are followed. */
const LAUNCHERS = [
  /\/npm\/([^/]+\/)?bin\/np[mx](-cli|-prefix)?\.js$/,
  /\/(pnpm|yarn|corepack)\/([^/]+\/)?((bin|dist)\/)?(pnpm|pnpx|yarn|yarnpkg|npm|npx|corepack)\.[cm]?js$/,
  /\/\.yarn\/releases\/yarn-[^/]+\.[cm]?js$/,
  /\/tsx\/dist\/cli\.[cm]?js$/,
  /\/vitest\/vitest\.mjs$/,
];

/** Our own command line: beside the folder of the bundle that this code runs in. */
const OWN: string = `${__filename.slice(0, __filename.lastIndexOf('/loader/'))}/cli/main.mjs`;

export function isLauncher(entry: string | undefined, execArgv: readonly string[]): boolean {
  if (isTestRunner(execArgv)) return true;
  if (entry === undefined) return false;
  const path = resolved(entry);
  return path === resolved(OWN) || LAUNCHERS.some((pattern) => pattern.test(path));
}

/** `node --test` runs each file in a process of its own, unless told otherwise. */
function isTestRunner(execArgv: readonly string[]): boolean {
  if (!execArgv.includes('--test') || processEnv['NODE_TEST_CONTEXT'] !== undefined) return false;
  return !/--(experimental-)?test-isolation[= ]none/.test([...execArgv, processEnv['NODE_OPTIONS'] ?? ''].join(' '));
}

function resolved(path: string): string {
  try {
    return nativeFs.realpathSync(path);
  } catch {
    return path;
  }
}
