/**
 * What is read in place of a secret: deterministic for one key, as long as it in every encoding, of the same make (hex stays
 * hex, digits stay digits), recognisable where there is room (`sk-proj-MaskedKey7Q…`). What tells keys apart stays: the prefix
 * of a known format, and of a long one the last four characters.
 */
import { nativeCrypto } from '../../runtime/natives.ts';
import { prefixOf } from './formats.ts';
import type { Secret, SecretKind, StandIn } from './secret.ts';

const LAST_KEPT = 4;
/** Characters that are replaced at least where the last ones stay. */
const REPLACED_AT_LEAST = 20;
/** Characters of chance behind a marker at least. */
const CHANCE_AT_LEAST = 10;
const MARKERS: Readonly<Record<SecretKind, string>> = {
  'api key': 'MaskedKey', token: 'MaskedToken', password: 'MaskedPassword', cookie: 'MaskedCookie', 'private key': 'MaskedKey', signature: 'MaskedSignature', secret: 'MaskedSecret',
};
const SHORT_MARKER = 'Masked';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
/** Signs that no encoding writes in another length than any other of its row. */
const SIGNS = ['#$%+,:;=?@[]^{}|`', '!()', '-_.'] as const;

/** @param taken stand-ins given out before, to which this one is added */
export function standInFor({ value, kind }: Secret, key: Uint8Array, taken: Set<string>): StandIn {
  for (let attempt = 0; ; attempt++) {
    const standIn = draw(value, kind, new Chance(key, `${attempt} ${value}`));
    if ((standIn === value || taken.has(standIn)) && attempt < 100) continue;
    taken.add(standIn);
    return { value, kind, standIn };
  }
}

function draw(value: string, kind: SecretKind, chance: Chance): string {
  if (value.startsWith('-----BEGIN')) return value.split('\n').map((line) => (/^-----|: |^\s*$/.test(line) ? line : replaced(line, alphabetOf(line), chance, false))).join('\n');
  const prefix = prefixOf(value);
  const kept = value.length - prefix.length >= REPLACED_AT_LEAST + LAST_KEPT ? LAST_KEPT : 0;
  const middle = value.slice(prefix.length, value.length - kept);
  const { at, marker } = markerFor(middle, kind);
  const drawn = replaced(middle, alphabetOf(middle), chance, UUID.test(value));
  return prefix + drawn.slice(0, at) + marker + drawn.slice(at + marker.length) + value.slice(value.length - kept);
}

/** In the letters that the value is made of, at the first place of nothing but letters and digits; '' where there is no room. */
function markerFor(middle: string, kind: SecretKind): { readonly at: number; readonly marker: string } {
  const isNumber = /^[0-9a-f-]+$|^[0-9A-F-]+$/.test(middle);
  for (const marker of isNumber ? [] : [MARKERS[kind], SHORT_MARKER]) {
    const at = middle.search(new RegExp(`[A-Za-z0-9]{${marker.length}}`));
    if (at < 0 || at > LATEST_MARKER || middle.length - marker.length < CHANCE_AT_LEAST) continue;
    const [hasLower, hasUpper] = [/[a-z]/.test(middle), /[A-Z]/.test(middle)];
    return { at, marker: hasLower && hasUpper ? marker : hasUpper ? marker.toUpperCase() : hasLower ? marker.toLowerCase() : '' };
  }
  return { at: 0, marker: '' };
}

/** Further behind nobody looks for it. */
const LATEST_MARKER = 16;

type Choice = (character: string) => string;

function alphabetOf(text: string): Choice {
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  if (/^[0-9]+$/.test(letters)) return bySort;
  if (/^[0-9a-f]+$/.test(letters)) return (character) => (/[0-9a-f]/.test(character) ? '0123456789abcdef' : character);
  if (/^[0-9A-F]+$/.test(letters)) return (character) => (/[0-9A-F]/.test(character) ? '0123456789ABCDEF' : character);
  if (/^[A-Z2-7]+$/.test(letters)) return (character) => (/[A-Z2-7]/.test(character) ? `${UPPER}234567` : character);
  // Without any letter or digit to speak of, the signs are what is secret.
  if (letters.length * 2 >= text.length) return bySort;
  return (character) => SIGNS.find((row) => row.includes(character)) ?? bySort(character);
}

function bySort(character: string): string {
  if (LOWER.includes(character)) return LOWER;
  if (UPPER.includes(character)) return UPPER;
  if (DIGITS.includes(character)) return DIGITS;
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return character;
  // As many bytes in UTF-8, as many characters in UTF-16, and in Latin-1 where it is that.
  if (code < 0x100) return '\u00e0\u00e1\u00e2\u00e3\u00e4\u00e5\u00e6\u00e7\u00e8\u00e9\u00ea\u00eb';
  if (code < 0x800) return '\u0101\u0103\u0105\u0107\u0109\u010b\u010d\u010f';
  return code < 0x10000 ? '\u4e00\u4e01\u4e03\u4e07\u4e08\u4e09\u4e0a\u4e0b' : [...'\u{1f600}\u{1f601}\u{1f602}\u{1f603}'].join('');
}

/** The shape of a UUID says which sort it is. */
const UUID_KEPT = new Set([14, 19]);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function replaced(text: string, choose: Choice, chance: Chance, isUuid: boolean): string {
  return [...text].map((character, index) => {
    if (isUuid && UUID_KEPT.has(index)) return character;
    const choice = [...choose(character)];
    return choice[chance.below(choice.length)] as string;
  }).join('');
}

/** A stream of numbers that nobody can foresee, or check a guess against, without the key. */
class Chance {
  readonly #key: Uint8Array;
  readonly #seed: string;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #blocks = 0;

  constructor(key: Uint8Array, seed: string) {
    this.#key = key;
    this.#seed = seed;
  }

  /** @param limit 256 at most */
  below(limit: number): number {
    if (limit === 1) return 0;
    const fair = 256 - (256 % limit);
    for (;;) {
      if (this.#at === this.#block.length) {
        this.#block = nativeCrypto.createHmac('sha256', this.#key).update(`${this.#blocks++} ${this.#seed}`).digest();
        this.#at = 0;
      }
      const byte = this.#block[this.#at++] as number;
      if (byte < fair) return byte % limit;
    }
  }
}
