/** Paths into JSON, as rules of the configuration name them: `$.a.b`, `$.items[0].id`, `$.items[*].id`, `$['a b']`, `$..id`. */

/** A member or index by name, any of them (`*`), or any at any depth (`**`). */
type Segment = { readonly key: string } | '*' | '**';
export type JsonPath = readonly Segment[];

const SEGMENT = /\.\.|\.?\*|\[\*\]|\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** @throws RangeError that says where it cannot be read */
export function parsePath(text: string): JsonPath {
  const segments: Segment[] = [];
  if (!text.startsWith('$')) throw new RangeError(`a path begins with "$": ${text}`);
  for (let at = 1; at < text.length; at = SEGMENT.lastIndex) {
    SEGMENT.lastIndex = at;
    const found = SEGMENT.exec(text);
    if (!found) throw new RangeError(`"${text.slice(at)}" in ${text} is no member, no [index] and no [*]`);
    const [whole, ...names] = found;
    const name = names.find((candidate) => candidate !== undefined);
    if (whole === '..') segments.push('**');
    else segments.push(name === undefined ? '*' : { key: name.replace(/\\(.)/g, '$1') });
  }
  if (segments.length === 0 || segments.at(-1) === '**') throw new RangeError(`${text} names no member`);
  return segments;
}

export function isPath(text: string): boolean {
  try {
    return parsePath(text).length > 0;
  } catch {
    return false;
  }
}

/** Takes out of a parsed value what the paths name, and adds it to `dropped`. @returns the same value */
export function dropPaths(value: unknown, paths: readonly JsonPath[], dropped: unknown[]): unknown {
  for (const path of paths) drop(value, path, 0, dropped);
  return value;
}

function drop(value: unknown, path: JsonPath, at: number, dropped: unknown[]): void {
  if (typeof value !== 'object' || value === null) return;
  const container = value as Record<string, unknown>;
  const segment = path[at] as Segment;
  if (segment === '**') {
    drop(value, path, at + 1, dropped);
    for (const key of Object.keys(container)) drop(container[key], path, at, dropped);
    return;
  }
  for (const key of segment === '*' ? Object.keys(container) : Object.hasOwn(container, segment.key) ? [segment.key] : []) {
    if (at < path.length - 1) drop(container[key], path, at + 1, dropped);
    else {
      dropped.push(container[key]);
      // The places of an array count: what is left keeps its own.
      if (Array.isArray(value)) container[key] = null;
      else delete container[key];
    }
  }
}
