/** Nothing of the machine that a file was written on gets into the repository. */
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { read, ROOT, trackedFiles } from './sources.ts';

const files = trackedFiles();
const BINARY = /\.(?:journal|open|png|gif|ico|wasm|tgz)$/;
/** Homes of made-up people are fine in an example. */
const PEOPLE = String.raw`(?!(?:you|user|me|agent|app|alice|bob|node)\b)`;

function foundIn(pattern: RegExp): string[] {
  return (files ?? []).filter((file) => !BINARY.test(file)).flatMap((file) => {
    const found = pattern.exec(read(file));
    return found ? [`${file}: ${found[0]}`] : [];
  });
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}

test.skipIf(!files)('no path of this machine', () => {
  expect(foundIn(literally(ROOT))).toEqual([]);
  if (homedir().split('/').length > 2) expect(foundIn(literally(`${homedir()}/`))).toEqual([]);
  expect(foundIn(new RegExp(`/(?:home|Users)/${PEOPLE}[a-z][a-z0-9_-]*/`))).toEqual([]);
  expect(foundIn(/(?:["'`(=\s])\/(?:root|work|mnt|workspace)\/[a-z]/)).toEqual([]);
});

test.skipIf(!files)('no host of a package registry', () => {
  const [registry] = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().split('\n');
  const host = registry && URL.canParse(registry) ? new URL(registry).host : undefined;
  if (host) expect(foundIn(literally(host))).toEqual([]);
  expect(foundIn(/\bregistry\.[a-z0-9-]+\.[a-z]{2,}/i)).toEqual([]);
  expect(foundIn(/"resolved": "https?:/)).toEqual([]);
});
