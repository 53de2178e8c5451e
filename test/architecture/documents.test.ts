/** What the documents point to is there. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { filesBelow, read, ROOT } from './sources.ts';

const DOCUMENTS: readonly string[] = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow('docs', '.md')];
const LINK = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/** As GitHub names a heading. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

test.each(DOCUMENTS)('links of %s', (document) => {
  const broken = [...read(document).matchAll(LINK)].filter(([, path = '', anchor]) => {
    const target = path === '' ? document : normalize(join(dirname(document), path));
    return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test('scripts that the documents name exist', () => {
  const named = DOCUMENTS.flatMap((document) => [...read(document).matchAll(/npm (?:run )?(demo|test|stress|bench|build|lint|typecheck|unused)\b/g)].map(([, script = '']) => script));
  expect([...new Set(named)].filter((script) => !(script in packageJson.scripts))).toEqual([]);
});
