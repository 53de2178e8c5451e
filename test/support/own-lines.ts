/** Tells the harness's own lines on stderr from the agent's. */

/** One line; or a report: its first line with the indented lines below it. */
const OWN = /replay-harness: (?:diverged|blocked)[^\n]*\n(?: {2}[^\n]*\n)*|replay-harness: [^\n]*\n/g;

export function ownText(stderr: Buffer): string {
  return (stderr.toString('latin1').match(OWN) ?? []).map((line) => Buffer.from(line, 'latin1').toString()).join('');
}

export function withoutOwn(stderr: Buffer): Buffer {
  return Buffer.from(stderr.toString('latin1').replace(OWN, ''), 'latin1');
}
