// Writes test/quality/descriptions.tsv: NAME, QUERY, TEXT of 5,000 Debian packages. Whoever asks the query, a package's
// one-line synopsis, should find its description. The first 500 are asked. Run by hand.
//
//   node scripts/quality-set.mjs
import { mkdirSync, writeFileSync } from 'node:fs';
import { descriptions, DOCUMENTS } from './descriptions.mjs';

const QUERIES = 500;
/** Characters: whole descriptions would weigh 2.5 MB, and make the task easier. */
const LONGEST = 240;

const rows = descriptions().slice(0, DOCUMENTS).map(({ name, synopsis, text }, at) => [name, at < QUERIES ? synopsis : '', shortened(text.replace(/\s+/g, ' '))].join('\t'));
mkdirSync(new URL('../test/quality/', import.meta.url), { recursive: true });
writeFileSync(new URL('../test/quality/descriptions.tsv', import.meta.url), `${rows.join('\n')}\n`);

function shortened(text) {
  return text.length <= LONGEST ? text : text.slice(0, text.lastIndexOf(' ', LONGEST));
}
