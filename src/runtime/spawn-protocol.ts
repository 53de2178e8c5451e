/**
 * How Node's JavaScript tells its Process handle what to start, per version: Node 20 and 22 pass one object, Node 24 and 26
 * pass its fields one by one.
 */

/** One descriptor of a child, as the runtime asks for it. */
export interface StdioEntry {
  /** `pipe`, `overlapped`, `ignore`, `inherit`, `fd` or `wrap`. */
  readonly type: string;
  readonly handle?: object;
  readonly fd?: number;
  readonly ipc?: boolean;
  readonly wrapType?: string;
  readonly readable?: boolean;
  readonly writable?: boolean;
  /** What a synchronous child is given. */
  readonly input?: ArrayBufferView;
}

export interface SpawnRequest {
  readonly file: string;
  /** The first one is the name that the child is called by. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** `NAME=value`; undefined: this process's own. */
  readonly envPairs?: readonly string[];
  readonly stdio?: readonly StdioEntry[];
  readonly detached?: boolean;
  readonly uid?: number;
  readonly gid?: number;
}

const FIELDS = ['file', 'args', 'cwd', 'envPairs', 'stdio', 'flags', 'uid', 'gid'];
const DETACHED = 1;

export function readSpawn(args: readonly unknown[]): SpawnRequest {
  if (typeof args[0] !== 'string') return args[0] as SpawnRequest;
  const fields = Object.fromEntries(FIELDS.map((name, index) => [name, args[index]])) as unknown as SpawnRequest & { flags: number };
  return { ...fields, detached: (fields.flags & DETACHED) !== 0 };
}

/** The same call with another environment and other descriptors: what the program passed stays as it is. */
export function replaceSpawn(args: readonly unknown[], changed: { readonly envPairs: readonly string[] | undefined; readonly stdio: readonly StdioEntry[] | undefined }): unknown[] {
  if (typeof args[0] !== 'string') return [{ ...(args[0] as SpawnRequest), ...changed }];
  return args.map((arg, index) => (FIELDS[index] === 'envPairs' ? changed.envPairs : FIELDS[index] === 'stdio' ? changed.stdio : arg));
}
