/**
 * A text within something that was encoded as a whole: its characters in base64 depend on how many bytes come before (three
 * cases), and the outermost ones are shared with the neighbours.
 */
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = `${STANDARD.slice(0, 62)}-_`;
const VALUES: Int8Array = new Int8Array(256).fill(-1);
for (const [value, character] of [...STANDARD].entries()) VALUES[character.charCodeAt(0)] = value;
VALUES['-'.charCodeAt(0)] = 62;
VALUES['_'.charCodeAt(0)] = 63;

export type Alphabet = 'standard' | 'url';

/** Bits of a character that belong to the text, before and after it is replaced. */
interface Edge {
  readonly mask: number;
  readonly before: number;
  readonly after: number;
}

export interface Base64Edges {
  readonly left: Edge | undefined;
  readonly right: Edge | undefined;
  /** undefined: the characters in between do not tell. */
  readonly alphabet: Alphabet | undefined;
}

export interface Core {
  readonly from: string;
  readonly to: string;
  readonly edges: Base64Edges;
}

/** @returns the middle of `value` in base64 and in its form for URLs, for each of the three places it may begin at */
export function coresOf(value: Buffer, replacement: Buffer): Core[] {
  return [0, 1, 2].flatMap((before) => {
    const [from, to] = [value, replacement].map((bytes) => Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]).toString('base64')) as [string, string];
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + value.length) * 8) / 6);
    const left = (before * 8) % 6 === 0 ? undefined : edge(from[first - 1], to[first - 1], (1 << (6 * first - 8 * before)) - 1);
    const rightBits = ((before + value.length) * 8) % 6;
    const right = rightBits === 0 ? undefined : edge(from[last], to[last], 0x3f ^ ((1 << (6 - rightBits)) - 1));
    const [was, becomes] = [from.slice(first, last), to.slice(first, last)];
    const core = (alphabet: Alphabet | undefined): Core => ({ from: inAlphabet(was, alphabet), to: inAlphabet(becomes, alphabet), edges: { left, right, alphabet } });
    return /[+/]/.test(was) ? [core('standard'), core('url')] : [core(undefined)];
  });
}

/**
 * Checks the characters at both ends of a core, and replaces the text's part of them.
 * @returns false where they show that something else is encoded here
 */
export function settleEdges(bytes: Buffer, start: number, length: number, { left, right, alphabet }: Base64Edges): boolean {
  const [leftValue, rightValue] = [valueAt(bytes, start - 1), valueAt(bytes, start + length)];
  if (left && leftValue >= 0 && (leftValue & left.mask) !== left.before) return false;
  if (right && rightValue >= 0 && (rightValue & right.mask) !== right.before) return false;
  const characters = (alphabet ?? alphabetAround(bytes, start, length)) === 'url' ? URL_SAFE : STANDARD;
  if (left && leftValue >= 0) bytes[start - 1] = characters.charCodeAt((leftValue & ~left.mask) | left.after);
  if (right && rightValue >= 0) bytes[start + length] = characters.charCodeAt((rightValue & ~right.mask) | right.after);
  return true;
}

function edge(from: string | undefined, to: string | undefined, mask: number): Edge {
  return { mask, before: STANDARD.indexOf(from ?? '') & mask, after: STANDARD.indexOf(to ?? '') & mask };
}

function inAlphabet(text: string, alphabet: Alphabet | undefined): string {
  return alphabet === 'url' ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
}

function valueAt(bytes: Buffer, at: number): number {
  return at < 0 || at >= bytes.length ? -1 : (VALUES[bytes[at] as number] as number);
}

const LOOKED_AT = 256;

function alphabetAround(bytes: Buffer, start: number, length: number): Alphabet {
  for (let at = start - 1; at >= Math.max(0, start - LOOKED_AT) && valueAt(bytes, at) >= 0; at--) if (bytes[at] === 0x2d || bytes[at] === 0x5f) return 'url';
  for (let at = start + length; at < Math.min(bytes.length, start + length + LOOKED_AT) && valueAt(bytes, at) >= 0; at++) if (bytes[at] === 0x2d || bytes[at] === 0x5f) return 'url';
  return 'standard';
}
