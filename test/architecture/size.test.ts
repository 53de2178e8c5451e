/** Files are read top-down, in one go. The wish is a median of 80 lines and nine in ten below 250; only far beyond is an error. */
import { expect, test } from 'vitest';
import { PRODUCT, read } from './sources.ts';

const FAR_BEYOND = { median: 120, ninth: 300, longest: 600 };

test('files stay small', () => {
  const lengths = PRODUCT.map((file) => ({ file, lines: read(file).split('\n').length - 1 })).sort((a, b) => a.lines - b.lines);
  const at = (share: number): number => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))]?.lines ?? 0;
  const longest = lengths.at(-1);
  console.log(`${lengths.length} files in src and loader: median ${at(0.5)} lines, nine in ten up to ${at(0.9)}, longest ${longest?.file} with ${longest?.lines}`);
  expect(at(0.5)).toBeLessThanOrEqual(FAR_BEYOND.median);
  expect(at(0.9)).toBeLessThanOrEqual(FAR_BEYOND.ninth);
  expect(longest?.lines).toBeLessThanOrEqual(FAR_BEYOND.longest);
});
