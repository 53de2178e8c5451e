/** What starting a child asks, as a key of the journal: command, folder, descriptors, and how its environment differs from the program's own. */
import { jsonStringify } from '../runtime/natives.ts';
import type { SpawnRequest, StdioEntry } from '../runtime/spawn-protocol.ts';

/** `null`: taken away. */
export type Environment = Readonly<Record<string, string | null>>;

export interface CommandOptions {
  readonly cwd?: string;
  readonly stdio: readonly unknown[];
  readonly env: Environment;
  readonly sync?: true;
  readonly detached?: true;
  readonly [limit: string]: unknown;
}

/** A key is `[file, args, options]`; the first argument, which only names the child, is left out where it is the file. */
export function commandKey(request: SpawnRequest, own: Readonly<Record<string, string>>, limits: Readonly<Record<string, unknown>> = {}): string {
  const { file, args = [file], cwd, envPairs, stdio = [], detached, uid, gid } = request;
  const [name, ...rest] = args;
  const options: CommandOptions = {
    ...(name !== file && { argv0: name }),
    ...(cwd != null && { cwd: String(cwd) }),
    stdio: stdio.map(describeEntry),
    env: environmentOf(envPairs, own),
    ...(detached && { detached: true as const }),
    ...(uid != null && { uid }),
    ...(gid != null && { gid }),
    ...limits,
  };
  return jsonStringify([file, rest, options]);
}

function describeEntry({ type, fd, ipc, wrapType }: StdioEntry): unknown {
  if (ipc) return 'ipc';
  if (type === 'inherit' || type === 'fd') return { [type]: fd };
  return type === 'wrap' ? { wrap: wrapType } : type;
}

/** Order does not matter to a child, and differs between runs. */
function environmentOf(pairs: readonly string[] | undefined, own: Readonly<Record<string, string>>): Environment {
  if (!pairs) return {};
  const given = new Map(pairs.map((pair) => {
    const at = pair.indexOf('=', 1);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  }));
  const changed = [...given].filter(([name, value]) => own[name] !== value);
  const removed = Object.keys(own).filter((name) => !given.has(name)).map((name) => [name, null] as const);
  return Object.fromEntries([...changed, ...removed].sort(([a], [b]) => (a < b ? -1 : 1)));
}
