/**
 * Numbers in the journal stand for positions in these lists: a changed position would read old recordings as something
 * else. New names go to the end, and into the snapshot of the current format in the same change.
 */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FORMAT_VERSION, FRAME } from '../../src/journal/format.ts';
import { CLOCKS } from '../../src/model/clock.ts';
import { KINDS } from '../../src/model/event.ts';
import { read } from './sources.ts';

interface Codes {
  readonly kinds: readonly string[];
  readonly clocks: readonly string[];
  readonly frames: Readonly<Record<string, number>>;
}

const SNAPSHOT = /^journal-codes\.v(\d+)\.json$/;
const versions = readdirSync(import.meta.dirname).flatMap((name) => SNAPSHOT.exec(name)?.[1] ?? []).map(Number);

test('the current format has a snapshot of its codes', () => {
  expect(Math.max(...versions)).toBe(FORMAT_VERSION);
});

test('codes of the current format are those of its snapshot, new ones at the end', () => {
  const { kinds, clocks, frames } = JSON.parse(read(`test/architecture/journal-codes.v${FORMAT_VERSION}.json`)) as Codes;
  expect(KINDS.slice(0, kinds.length), 'a kind was moved, renamed or removed: bump FORMAT_VERSION, or put it back').toEqual(kinds);
  expect(CLOCKS.slice(0, clocks.length), 'a clock was moved: bump FORMAT_VERSION, or put it back').toEqual(clocks);
  expect(FRAME, 'a frame type has another number: bump FORMAT_VERSION, or put it back').toMatchObject(frames);
  const missing = [...KINDS.slice(kinds.length), ...CLOCKS.slice(clocks.length), ...Object.keys(FRAME).filter((name) => !(name in frames))];
  expect(missing, `append to journal-codes.v${FORMAT_VERSION}.json`).toEqual([]);
});
