/** Whether a value is a secret at all: what is replaced is replaced everywhere, so `TOKEN=true` must mask nothing. */

/**
 * How a value was found: `rule` by the user's own rule, `format` by its own form, `password` and `named` by the name beside it,
 * `random` in a place that holds secrets, by its looks alone.
 */
export type Certainty = 'rule' | 'format' | 'password' | 'named' | 'random';

const SHORTEST: Readonly<Record<Certainty, number>> = { rule: 6, format: 10, password: 6, named: 8, random: 12 };
/** Of nothing but words: letters, and what joins them. */
const SHORTEST_WORDS: Readonly<Record<Certainty, number>> = { rule: 6, format: 20, password: 16, named: 20, random: Infinity };
const LONGEST = 64 * 1024;
const SHORTEST_NUMBER = 16;
/** Bits by the shares of its characters. */
const ENTROPY = 14;

const TRIVIAL = /^(?:true|false|null|none|undefined|default|enabled?|disabled?|required|optional|bearer|basic|password|passwd|secret|token|changeme|example|test(?:ing)?|localhost|development|production|staging)$/i;
const TEMPLATE = /^(?:\$[\w{(]|\{\{|<[\w -]*>$|%[\w]+%$|process\.env|\*{3}|\[masked)|^(.)\1*$/;
const NO_SECRET: readonly RegExp[] = [
  // A URL, a path, an address, a date, a version, a type of content.
  /^[a-z][a-z0-9+.-]*:\/\//i,
  /^(?:~|\.{1,2})?\/(?:[a-z0-9._-]+\/)*[a-z0-9._-]*$/,
  /^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/,
  /^\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?$/,
  /^v?\d+(?:\.\d+)+$/,
  /^(?:text|application|image|audio|video|multipart)\/[\w.+-]+/,
  /^[\w.+-]+@[\w-]+\.[\w.-]+$/,
];

export function isWorthMasking(value: string, certainty: Certainty): boolean {
  if (value.length < SHORTEST[certainty] || value.length > LONGEST || !isWellFormed(value)) return false;
  if (certainty === 'format') return true;
  if (TRIVIAL.test(value) || TEMPLATE.test(value)) return false;
  if (certainty === 'rule') return entropyOf(value) >= ENTROPY;
  if (NO_SECRET.some((form) => form.test(value))) return false;
  if (/^[\d.,: +-]+$/.test(value) && value.replace(/\D/g, '').length < SHORTEST_NUMBER) return false;
  if (/^[\p{L}\s._-]+$/u.test(value) && value.length < SHORTEST_WORDS[certainty] && !isScrambled(value)) return false;
  if (certainty === 'random') return looksRandom(value);
  // A sentence that happens to stand beside such a name.
  if (certainty === 'named' && /\s\S+\s\S+\s/.test(value) && !value.startsWith('-----BEGIN')) return false;
  return entropyOf(value) >= ENTROPY;
}

/** Capitals in the middle, over and over: no word, and no name in a program. */
function isScrambled(value: string): boolean {
  return (value.match(/[A-Z]{2}[a-z]|[a-z][A-Z][A-Z]/g) ?? []).length >= 2 && value.length >= 10;
}

function looksRandom(value: string): boolean {
  const mixes = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return !/\s/.test(value) && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && (mixes || value.length >= 20) && entropyOf(value) >= 36;
}

/** Shannon's, of the whole value, in bits. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / value.length);
  return bits;
}

/** Without half of a surrogate pair. The library of types does not know the function yet. */
export function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}
