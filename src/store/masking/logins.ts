/** Passwords in the first messages of databases' own protocols, which no step shows. */
import type { Findings } from './findings.ts';

const LONGEST = 64 * 1024;
/** AUTH password, AUTH user password, HELLO 3 AUTH user password. */
const REDIS = /\$4\r\nAUTH\r\n\$\d+\r\n([^\r\n]*)\r\n(?:\$\d+\r\n([^\r\n]*)\r\n)?/gi;
const PASSWORD_MESSAGE = 0x70;

export function findLogin(bytes: Buffer, findings: Findings): void {
  if (bytes.length > LONGEST) return;
  if (bytes[0] === 0x2a && bytes.includes('AUTH')) for (const [, first = '', second] of bytes.utf8Slice().matchAll(REDIS)) findings.add(second ?? first, 'password', 'named');
  if (bytes[0] !== PASSWORD_MESSAGE || bytes.length < 6 || bytes.readUInt32BE(1) !== bytes.length - 1 || bytes.at(-1) !== 0) return;
  const text = bytes.subarray(5, -1).utf8Slice();
  findings.add(text, /^md5[0-9a-f]{32}$/.test(text) ? 'signature' : 'password', 'named');
}
