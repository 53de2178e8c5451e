// Debian's package descriptions, read through apt: what the embedder's table and the quality set of the search are made of.
// They are part of free packages of Debian (section main), each under the licence of its package.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packages of the quality set; all others make the table. */
export const DOCUMENTS = 5000;
/** Shorter descriptions say too little to be found by. */
const SHORTEST = 120;
/** Of two packages whose descriptions begin alike, one is taken. */
const ALIKE = 60;

/**
 * In an order that depends on nothing but the names (their SHA-256), one of those that are alike.
 * @returns {{ name: string, synopsis: string, text: string }[]}
 */
export function descriptions() {
  const seen = new Set();
  return packages().filter(({ synopsis, text }) => {
    const marks = [`text ${text.slice(0, ALIKE).toLowerCase()}`, `synopsis ${synopsis.replace(/\s*[-(:].*$/, '').toLowerCase()}`];
    if (text.length < SHORTEST || marks.some((mark) => seen.has(mark))) return false;
    for (const mark of marks) seen.add(mark);
    return true;
  });
}

function packages() {
  const byName = new Map();
  for (const record of translations().split('\n\n')) {
    const [, name, synopsis, rest] = /^Package: (\S+)\n[\s\S]*?^Description-en: (.*)\n?([\s\S]*)$/m.exec(record) ?? [];
    if (!name || byName.has(name)) continue;
    const text = rest.split('\n').map((line) => line.replace(/^ \.?$/, '').trim()).join('\n').replace(/\n{2,}/g, '\n\n').trim();
    byName.set(name, { name, synopsis: synopsis.trim(), text, order: createHash('sha256').update(name).digest('hex') });
  }
  return [...byName.values()].sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ order: _, ...kept }) => kept);
}

/** The English texts of the release that this machine runs, in lists of our own: the system's stay as they are. */
function translations() {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-descriptions-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, name), { recursive: true });
    const options = ['-o', 'Acquire::Languages=en', '-o', `Dir::State::Lists=${folder}/lists`, '-o', `Dir::Cache=${folder}/cache`];
    execFileSync('apt-get', [...options, 'update'], { stdio: 'ignore' });
    const files = execFileSync('apt-get', [...options, 'indextargets', '--format', '$(FILENAME)', 'Created-By: Translations'], { encoding: 'utf8' }).trim().split('\n');
    // The release itself: its updates and security fixes come and go.
    const release = files.filter((file) => !/-(?:updates|security|backports)_/.test(file));
    return release.map((file) => execFileSync('/usr/lib/apt/apt-helper', ['cat-file', file], { encoding: 'utf8', maxBuffer: 2 ** 28 })).join('\n\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
