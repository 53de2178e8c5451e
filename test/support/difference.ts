/** Compares two outputs byte for byte, and says where they part in a form that a person can use. */

/** @returns undefined when equal */
export function difference(what: string, [one, other]: readonly [string, string], expected: Buffer, actual: Buffer): string | undefined {
  if (expected.equals(actual)) return undefined;
  const [was, is] = [expected.toString().split('\n'), actual.toString().split('\n')];
  const line = was.findIndex((text, index) => text !== is[index]);
  const at = line < 0 ? was.length : line;
  const show = (lines: string[]): string => (lines[at] === undefined ? '(nothing more)' : JSON.stringify(lines[at].slice(0, 400)));
  return `${what} differs at line ${at + 1} (${one} ${expected.length} bytes, ${other} ${actual.length})\n    ${one}: ${show(was)}\n    ${other}: ${show(is)}`;
}
