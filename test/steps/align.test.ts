import { expect, test } from 'vitest';
import { type Alignable, align, withMoved } from '../../src/steps/diff/align.ts';

/** `x1` asks x of the sort 1; letters are families. */
const items = (text: string): Alignable[] => text.split(' ').filter(Boolean).map((word) => ({ asked: word, sort: word.slice(0, 2), family: word.slice(0, 1) }));
const aligned = (one: string, other: string): string => {
  const [a, b] = [items(one), items(other)];
  return withMoved(align(a, b), a, b).map(({ one: i, other: j, moved }) => `${i === null ? '-' : a[i]?.asked}${moved ? '<>' : '/'}${j === null ? '-' : b[j]?.asked}`).join(' ');
};

test('equal steps hold the others in place', () => {
  expect(aligned('a1 b1 c1', 'a1 b1 c1')).toBe('a1/a1 b1/b1 c1/c1');
  expect(aligned('a1 b1 c1', 'a1 c1')).toBe('a1/a1 b1/- c1/c1');
  expect(aligned('a1 c1', 'a1 b1 b2 c1')).toBe('a1/a1 -/b1 -/b2 c1/c1');
  expect(aligned('', 'a1')).toBe('-/a1');
  expect(aligned('', '')).toBe('');
});

test('the same sort of question is preferred to the same family, and another family is never a counterpart', () => {
  expect(aligned('a1x', 'a2x a1y')).toBe('-/a2x a1x/a1y');
  expect(aligned('a1x b1', 'a2x b1')).toBe('a1x/a2x b1/b1');
  expect(aligned('a1', 'b1')).toBe('a1/- -/b1');
});

test('what only moved is found again', () => {
  expect(aligned('a1 b1 c1 d1', 'b1 c1 d1 a1')).toBe('a1<>a1 b1/b1 c1/c1 d1/d1');
  expect(aligned('a1 a1 b1', 'b1 a1')).toBe('a1<>a1 a1/- b1/b1');
});

test('runs too long for the whole table are held by what was asked once in each', () => {
  const one = Array.from({ length: 6000 }, (_, at) => `a${at}`);
  const other = one.toSpliced(3000, 1, 'b1', 'b2');
  other[10] = 'c10';
  const [a, b] = [items(one.join(' ')), items(['z1', ...other].join(' '))];
  const pairs = withMoved(align(a, b), a, b);
  expect(pairs.filter(({ one: i, other: j }) => i !== null && j !== null && a[i]?.asked === b[j]?.asked)).toHaveLength(5998);
  expect(pairs.filter(({ one: i, other: j }) => i === null || j === null)).toHaveLength(6);
});
