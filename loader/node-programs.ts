/**
 * Whether a child may come to start Node. Everything else gets its environment as it is: a program that prints its
 * environment is not to show ours.
 */
import { nativeFs, processEnv } from '../src/runtime/natives.ts';
import type { SpawnRequest } from '../src/runtime/spawn-protocol.ts';

/** Node, and what runs programs with it. */
const NODE_WORD = /(?:^|[^\w.-])(?:node(?:js)?|npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack|tsx|ts-node|vitest|electron)(?:$|[^\w-])/;
const SCRIPT_NAME = /\.(?:[cm]?[jt]s|[jt]sx|sh|bash)(?:$|[\s"';&|)])/;
const HEAD_BYTES = 256;

export function mayStartNode({ file, args = [], cwd, envPairs }: SpawnRequest): boolean {
  if ([file, ...args].some((text) => NODE_WORD.test(text) || SCRIPT_NAME.test(text))) return true;
  const path = envPairs?.find((pair) => pair.startsWith('PATH='))?.slice('PATH='.length) ?? processEnv['PATH'] ?? '';
  const found = file.includes('/') ? resolve(file, cwd) : find(file, path);
  return found !== undefined && (isNode(found) || isScript(found));
}

function resolve(file: string, cwd: string | undefined): string {
  return file.startsWith('/') || cwd == null ? file : `${cwd}/${file}`;
}

function find(file: string, path: string): string | undefined {
  return path.split(':').map((folder) => `${folder}/${file}`).find((candidate) => nativeFs.existsSync(candidate));
}

function isNode(path: string): boolean {
  try {
    return nativeFs.realpathSync(path) === nativeFs.realpathSync(process.execPath);
  } catch {
    return false;
  }
}

/** A text that another program reads: a shell's or Node's. */
function isScript(path: string): boolean {
  try {
    const file = nativeFs.openSync(path, 'r');
    try {
      const head = new Uint8Array(HEAD_BYTES);
      nativeFs.readSync(file, head, 0, HEAD_BYTES, 0);
      return head[0] === 0x23 && head[1] === 0x21;
    } finally {
      nativeFs.closeSync(file);
    }
  } catch {
    return false;
  }
}
