/**
 * Text as the words that it is found by: lower case, without accents, names of programs in their parts. The same for what is
 * stored and for what is asked, on every Node version: of Unicode only what no longer changes is used.
 */

/** Longer ones are data: hashes of more than 256 bits, base64. */
const LONGEST_WORD = 64;
/** A name in parts, such as `GB-1234`, is one word besides, up to this length. */
const LONGEST_NAME = 40;
// Letters and digits of ASCII, and whatever is no punctuation beyond it.
const NAME = /[0-9A-Za-z\u00aa-\u1fff\u2c00-\u2dff\u2e80-\u2fff\u3005-\u3007\u3041-\udfff\uf900-\ufefe\uff10-\uffdc]+(?:[-_.][0-9A-Za-z\u00aa-\u1fff\u2c00-\u2dff\u2e80-\u2fff\u3005-\u3007\u3041-\udfff\uf900-\ufefe\uff10-\uffdc]+)*/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** Scripts whose decompositions and cases were complete before Node 20's Unicode. */
const FOLDED = /[A-Za-z\u00c0-\u058f\u1e00-\u1fff\uff10-\uff5a]+/g;
const MARKS = /[\u0300-\u036f]/g;
/** Written without spaces: every two neighbours are a word. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff]{2,}|(?:[\ud840-\ud8ff][\udc00-\udfff]){2,}/g;
const JOINT = /[-_.]+/;
const CAMEL = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/;
const CAMELS = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const DIGIT = /[0-9]/;

/** @returns the words in their order; a name such as `getWeather` or `GB-1234` gives itself, joined, and its parts */
export function wordsOf(text: string): string[] {
  const plain = BEYOND_ASCII.test(text) ? folded(text) : text;
  const words: string[] = [];
  for (const [name] of plain.matchAll(NAME)) {
    const parts = JOINT.test(name) ? name.split(JOINT) : [name];
    for (const part of parts) addPart(part, words);
    if (parts.length > 1 && name.length <= LONGEST_NAME && DIGIT.test(name)) words.push(lowered(parts.join('')));
  }
  return words;
}

function addPart(part: string, words: string[]): void {
  if (part.length > LONGEST_WORD) return;
  if (CAMEL.test(part)) words.push(...part.replace(CAMELS, '$&\n').split('\n').map(lowered));
  const word = lowered(part);
  const unspaced = BEYOND_ASCII.test(word) ? word.match(UNSPACED) : null;
  if (unspaced) for (const run of unspaced) words.push(...pairsOf(run));
  else words.push(word);
}

/** What is beyond ASCII is in lower case already, or has none. */
function lowered(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function folded(text: string): string {
  return text.replace(FOLDED, (run) => (BEYOND_ASCII.test(run) ? run.normalize('NFKD').replace(MARKS, '').toLowerCase() : run));
}

function pairsOf(run: string): string[] {
  const letters = Array.from(run);
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}
