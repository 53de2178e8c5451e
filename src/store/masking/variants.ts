/** The forms that a secret takes on its way: what is searched for, and what is put in its place. */
import { nativeCrypto } from '../../runtime/natives.ts';
import { coresOf } from './base64.ts';
import type { Pattern } from './search.ts';
import type { StandIn } from './secret.ts';

/** Shorter ones would be found where nothing was encoded. */
const SHORTEST = 6;
const SHORTEST_CORE = 7;

type Encoder = (text: string) => string;

const json: Encoder = (text) => JSON.stringify(text).slice(1, -1);
const ascii: Encoder = (text) => json(text).replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const slashed: Encoder = (text) => json(text).replaceAll('/', '\\/');
const form: Encoder = (text) => new URLSearchParams([['', text]]).toString().slice(1);
const strict: Encoder = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const lowerHex = (encode: Encoder): Encoder => (text) => encode(text).replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
const html = (apostrophe: string): Encoder => (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", apostrophe);

const ENCODERS: readonly Encoder[] = [
  (text) => text,
  json, (text) => json(json(text)), (text) => json(json(json(text))), ascii, (text) => ascii(text).replace(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`), slashed,
  encodeURIComponent, strict, form, encodeURI, lowerHex(encodeURIComponent), lowerHex(strict), lowerHex(form), (text) => encodeURIComponent(encodeURIComponent(text)),
  html('&#39;'), html('&#x27;'), html('&apos;'),
  (text) => Buffer.from(text).toString('hex'), (text) => Buffer.from(text).toString('hex').toUpperCase(),
];

/** Of a part of a secret that has but letters and the signs of base64. */
const IN_TEXT: ReadonlySet<Encoder> = new Set([ENCODERS[0] as Encoder, slashed, encodeURIComponent]);

/** What services compare instead of the secret, and what a guess could be checked against. */
const DIGESTS = ['md5', 'sha1', 'sha256', 'sha512'] as const;

/** @returns the patterns of all stand-ins, each of its own bytes. */
export function patternsOf(standIns: readonly StandIn[]): Pattern[] {
  const patterns = new Map<string, Pattern>();
  const add = (from: Buffer, to: Buffer, edges?: Pattern['edges']): void => {
    const name = from.latin1Slice();
    if (from.length < SHORTEST || from.length !== to.length || patterns.has(name)) return;
    patterns.set(name, { bytes: from, replacement: to, ...(edges && { edges }) });
  };
  const pairs = standIns.flatMap(partsOf);
  // The secrets as they are come first: one may look like a form of another.
  for (const encode of ENCODERS) for (const { from, to, isPart } of pairs) if (!isPart || IN_TEXT.has(encode)) add(Buffer.from(encode(from)), Buffer.from(encode(to)));
  for (const { from, to, isPart } of pairs) {
    if (isPart) continue;
    if (/[\u0080-\u00ff]/.test(from) && !/[\u0100-\uffff]/.test(from)) add(Buffer.from(from, 'latin1'), Buffer.from(to, 'latin1'));
    add(Buffer.from(from, 'utf16le'), Buffer.from(to, 'utf16le'));
    for (const encode of [(text: string) => text, json]) addCores(Buffer.from(encode(from)), Buffer.from(encode(to)), add);
    for (const digest of DIGESTS) {
      const [was, becomes] = [from, to].map((text) => nativeCrypto.createHash(digest).update(text).digest()) as [Buffer, Buffer];
      for (const encoding of ['hex', 'base64', 'base64url'] as const) add(Buffer.from(was.toString(encoding)), Buffer.from(becomes.toString(encoding)));
    }
  }
  for (const standIn of standIns) {
    const der = derOf(standIn);
    if (der) add(...der);
  }
  return [...patterns.values()];
}

function addCores(from: Buffer, to: Buffer, add: (from: Buffer, to: Buffer, edges?: Pattern['edges']) => void): void {
  for (const core of coresOf(from, to)) {
    if (core.from.length < SHORTEST_CORE) continue;
    add(Buffer.from(core.from), Buffer.from(core.to), core.edges);
    // As part of a query or a form. One with as many signs of its own: others have another length.
    if (core.edges.alphabet === 'standard') for (const encode of [encodeURIComponent, lowerHex(encodeURIComponent), slashed]) add(...inPlace(core.from, core.to, encode));
  }
}

/** Encodes both; where the signs do not stand at the same places, what replaces them is written without any. */
function inPlace(from: string, to: string, encode: Encoder): [Buffer, Buffer] {
  const was = encode(from);
  const becomes = [...from].map((character, index) => {
    const written = encode(character);
    const other = to[index] as string;
    return written.length === 1 ? (encode(other).length === 1 ? other : 'A') : encode(other).length === written.length ? encode(other) : written;
  }).join('');
  return [Buffer.from(was), Buffer.from(becomes)];
}

interface Pair {
  readonly from: string;
  readonly to: string;
  /** Not the whole secret. */
  readonly isPart?: true;
}

/** A private key is also found line by line, and without its line breaks. */
function partsOf({ value, standIn }: StandIn): Pair[] {
  const whole = { from: value, to: standIn };
  if (!value.startsWith('-----BEGIN')) return [whole];
  const lines = value.split('\n').map((line, index) => ({ from: line.trim(), to: (standIn.split('\n')[index] as string).trim(), isPart: true as const })).filter(({ from }) => /^[A-Za-z0-9+/=]{16,}$/.test(from));
  const joined = { from: lines.map(({ from }) => from).join(''), to: lines.map(({ to }) => to).join('') };
  const onWindows = { from: value.replaceAll('\n', '\r\n'), to: standIn.replaceAll('\n', '\r\n') };
  return [whole, onWindows, ...(lines.length > 1 ? [joined] : []), ...lines];
}

function derOf({ value, standIn }: StandIn): [Buffer, Buffer] | undefined {
  if (!value.startsWith('-----BEGIN')) return undefined;
  const bodyOf = (text: string): Buffer => Buffer.from(text.split('\n').filter((line) => !/^-----|: /.test(line)).join(''), 'base64');
  return [bodyOf(value), bodyOf(standIn)];
}
