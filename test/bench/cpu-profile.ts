/** Self times of V8 CPU profiles, with the place in our sources that a function of the bundle comes from. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
}

export interface SelfTime {
  /** Function and where it stands. */
  readonly place: string;
  readonly group: string;
  readonly file: string;
  readonly ms: number;
  /** The function of ours or of the agent that it was mostly called for. */
  readonly caller: string;
}

interface Origin {
  readonly group: string;
  readonly file: string;
}

/** Waiting is no CPU time. */
const LEFT_OUT = new Set(['(idle)', '(root)']);

/** @param dist of a build that is not minified: it names the source of each module in a comment */
export function selfTimes(profiles: readonly CpuProfile[], dist: string): SelfTime[] {
  const sources = new Map<string, readonly string[]>();
  const times = new Map<string, SelfTime>();
  const callers = new Map<string, Map<string, number>>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    const originOf = (id: number): Origin => {
      for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
        const { url, lineNumber } = frames.get(at) as CallFrame;
        if (url !== '') return origin(url, lineNumber, dist, sources);
      }
      return { group: 'V8', file: '' };
    };
    /** Nearest above that is neither Node's nor V8's. */
    const callerOf = (id: number): string => {
      for (let at = parents.get(id); at !== undefined; at = parents.get(at)) {
        const { functionName, url, lineNumber } = frames.get(at) as CallFrame;
        if (url === '' || url.startsWith('node:')) continue;
        return `${functionName || '(anonymous)'} ${origin(url, lineNumber, dist, sources).file}`;
      }
      return '';
    };
    for (const [at, id] of samples.entries()) {
      const { functionName, url, lineNumber } = frames.get(id) as CallFrame;
      if (LEFT_OUT.has(functionName)) continue;
      const { group, file } = functionName.startsWith('(') ? { group: functionName, file: '' } : originOf(id);
      const place = url === '' ? `${functionName}${file && `, native, for ${file}`}` : `${functionName || '(anonymous)'} ${file}${group === 'harness' ? '' : `:${lineNumber + 1}`}`;
      const ms = (times.get(place)?.ms ?? 0) + (timeDeltas[at] ?? 0) / 1000;
      const above = callers.get(place) ?? callers.set(place, new Map()).get(place) as Map<string, number>;
      above.set(callerOf(id), (above.get(callerOf(id)) ?? 0) + (timeDeltas[at] ?? 0));
      times.set(place, { place, caller: '', group: url === '' && !functionName.startsWith('(') ? `native, for ${group}` : group, file, ms });
    }
  }
  return [...times.values()].map((time) => ({ ...time, caller: [...(callers.get(time.place) ?? [])].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '' }));
}

function origin(url: string, line: number, dist: string, sources: Map<string, readonly string[]>): Origin {
  if (url.startsWith('node:')) return { group: 'node internals', file: url };
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!path.startsWith(dist)) return { group: 'agent', file: path.split('/').at(-1) ?? path };
  if (!sources.has(path)) sources.set(path, existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
  const lines = sources.get(path) ?? [];
  for (let at = line; at >= 0; at--) {
    const found = /^\s*\/\/ ((?:src|loader|node_modules)\/\S+)$/.exec(lines[at] ?? '');
    if (found) return { group: 'harness', file: found[1] as string };
  }
  return { group: 'harness', file: path.slice(dist.length + 1) };
}
