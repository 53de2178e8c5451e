/** Secrets in the parts of a form that is sent piece by piece, files among them. */
import { type Header, headerValue } from '../../steps/http1.ts';
import type { Findings } from './findings.ts';
import { findInText, findNamed } from './in-text.ts';
import type { MaskRules } from './rules.ts';

/** Larger parts are files, which are no secrets as a whole. */
const LONGEST = 64 * 1024;
const PART_NAME = /^content-disposition:[^\r\n]*;\s*name="([^"\r\n]*)"/im;

/** @param body not content-encoded */
export function findInMultipart(body: Buffer, headers: readonly Header[], rules: MaskRules, findings: Findings): void {
  const boundary = /^multipart\/.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(headerValue(headers, 'content-type') ?? '');
  if (!boundary) return;
  for (const part of partsOf(body, `--${boundary[1] ?? boundary[2] ?? ''}`)) {
    const head = part.indexOf('\r\n\r\n');
    if (head < 0 || part.length - head > LONGEST) continue;
    const name = PART_NAME.exec(part.subarray(0, head).utf8Slice())?.[1];
    const value = part.subarray(head + 4).utf8Slice();
    if (name !== undefined) {
      if (rules.isForm(name)) findings.add(value, 'secret', 'rule');
      findNamed(name, value, findings);
    }
    findInText(value, rules, findings);
  }
}

/** Without the line break that belongs to the boundary behind it. */
function* partsOf(body: Buffer, boundary: string): Generator<Buffer> {
  for (let at = body.indexOf(boundary); at >= 0; ) {
    const from = at + boundary.length;
    at = body.indexOf(boundary, from);
    if (at >= 0) yield body.subarray(from, at - 2);
  }
}
