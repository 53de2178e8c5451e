/** Programs that only start other programs: never runs themselves; what they start is. */
import { nativeFs } from '../src/runtime/natives.ts';

/** Of the resolved path, so that links in a `.bin` folder are followed. */
const LAUNCHERS = [
  /\/npm\/bin\/np[mx](-cli)?\.js$/,
  /\/(pnpm|yarn|corepack)\/(bin|dist)\/[^/]+\.[cm]?js$/,
  /\/tsx\/dist\/cli\.[cm]?js$/,
  /\/vitest\/vitest\.mjs$/,
];

/** Our own command line: beside the folder of the bundle that this code runs in. */
const OWN: string = `${__filename.slice(0, __filename.lastIndexOf('/loader/'))}/cli/main.mjs`;

export function isLauncher(entry: string | undefined): boolean {
  if (entry === undefined) return false;
  const path = resolved(entry);
  return path === resolved(OWN) || LAUNCHERS.some((pattern) => pattern.test(path));
}

function resolved(path: string): string {
  try {
    return nativeFs.realpathSync(path);
  } catch {
    return path;
  }
}
