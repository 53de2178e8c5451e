/** What a statement's text says of it, without parsing it. */

const COMMENT = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g;
/** In memory, too. */
const ATTACHED_MEMORY = /\battach\s+(?:database\s+)?(?:':memory:'|'')/gi;
const REACHES_FILES = /\battach\b|\bvacuum\s+(?:\w+\s+)?into\b/i;
const READS = /^\s*(?:select|values|explain)\b/i;

/** Whether a statement may change the database: all but those that surely only read. */
export function mayWrite(sql: string): boolean {
  return !READS.test(sql.replace(COMMENT, ' '));
}

/** Whether a statement on a database in memory reaches the disk. */
export function reachesFiles(sql: string): boolean {
  return REACHES_FILES.test(sql.replace(COMMENT, ' ').replace(ATTACHED_MEMORY, ' ').replace(QUOTED, "''"));
}

/** Whether a database of this name lives in this process alone. */
export function isInMemory(path: unknown): boolean {
  const name = path instanceof Uint8Array ? String.fromCharCode(...path.subarray(0, 4096)) : path instanceof URL ? path.href : path;
  return typeof name === 'string' && (name === ':memory:' || name === '' || /^file:(?::memory:|[^?]*\?(?:.*&)?mode=memory(?:&|$))/.test(name));
}
