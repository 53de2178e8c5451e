/** The configuration's own rules (`mask`), ready for use. */
import type { Config } from '../../model/config.ts';

/** Places below a value. */
export type JsonPath = readonly (string | typeof ANY | typeof ANYWHERE)[];
export const ANY: unique symbol = Symbol('any member');
export const ANYWHERE: unique symbol = Symbol('any depth');

export interface MaskRules {
  isHeader(name: string): boolean;
  isQuery(name: string): boolean;
  isForm(name: string): boolean;
  isVariable(name: string): boolean;
  isFile(path: string): boolean;
  readonly paths: readonly JsonPath[];
  /** Global; the first group is the secret where there is one. */
  readonly patterns: readonly RegExp[];
}

export function maskRules(mask: Config['mask'] = []): MaskRules {
  const named = (sort: string, flags: string): ((name: string) => boolean) => {
    const globs = mask.flatMap((rule) => (rule[sort] === undefined ? [] : [globOf(rule[sort], flags)]));
    return (name) => globs.some((glob) => glob.test(name));
  };
  const files = mask.flatMap(({ file }) => (file === undefined ? [] : [globOf(file.includes('/') ? file : `**/${file}`, '')]));
  return {
    isHeader: named('header', 'i'),
    isQuery: named('query', ''),
    isForm: named('form', ''),
    isVariable: named('env', ''),
    // As the program wrote it, and wherever it lies.
    isFile: (path) => files.some((glob) => glob.test(path) || glob.test(`/${path}`)),
    paths: mask.flatMap(({ json }) => (json === undefined ? [] : [jsonPath(json)])),
    patterns: mask.flatMap(({ pattern }) => (pattern === undefined ? [] : [new RegExp(pattern, 'g')])),
  };
}

/** `*` within a name, `**` across folders. */
function globOf(glob: string, flags: string): RegExp {
  const source = glob.replace(/^\.\//, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*\*\/|\*\*|\*/g, (star) => (star === '*' ? '[^/]*' : star === '**' ? '.*' : '(?:.*/)?'));
  return new RegExp(`^${glob.startsWith('/') || glob.startsWith('**') || flags !== '' || !glob.includes('/') ? '' : '(?:.*/)?'}${source}$`, flags);
}

/** `$.a.b[0].c`, `$.users[*].key`, `$..key`; the `$` may be left out. */
function jsonPath(path: string): JsonPath {
  const places: (string | typeof ANY | typeof ANYWHERE)[] = [];
  for (const [, depth, member, quoted, index] of path.replace(/^\$/, '').matchAll(/(\.\.)?(?:\.?([^.[\]]+)|\[(?:'([^']*)'|"?([^\]"]*)"?)\])/g)) {
    if (depth) places.push(ANYWHERE);
    const name = member ?? quoted ?? index ?? '';
    places.push(name === '*' && quoted === undefined ? ANY : name);
  }
  return places;
}

/** @returns every text that a path leads to */
export function textsAt(value: unknown, path: JsonPath): string[] {
  const [place, ...rest] = path;
  if (place === undefined) return leavesOf(value);
  if (typeof value !== 'object' || value === null) return [];
  if (place === ANYWHERE) return [...textsAt(value, rest), ...Object.values(value).flatMap((member) => textsAt(member, path))];
  if (place === ANY) return Object.values(value).flatMap((member) => textsAt(member, rest));
  return Object.hasOwn(value, place) ? textsAt((value as Record<string, unknown>)[place], rest) : [];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
