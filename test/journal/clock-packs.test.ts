/** What is read of the clocks comes back from a pack bit for bit, whatever it is. */
import { expect, it } from 'vitest';
import { ClockPack, type ClockRead, CLOCKS, decodeClockReads, expandClockReads } from '../../src/model/clock.ts';

function packed(reads: readonly (readonly [code: number, value: number | bigint])[]): { pack: Buffer; reads: (readonly [string, number | bigint])[] } {
  const pack = new ClockPack();
  for (const [code, value] of reads) {
    if (typeof value === 'bigint') pack.addBigint(code, value);
    else pack.add(code, value);
  }
  const taken = Buffer.from(pack.take());
  expect(pack.empty).toBe(true);
  return { pack: taken, reads: decodeClockReads(expandClockReads(taken)).flatMap(({ kind, value, count }: ClockRead) => Array.from({ length: count }, () => [kind, value] as const)) };
}

const named = (reads: readonly (readonly [number, number | bigint])[]): (readonly [string, number | bigint])[] => reads.map(([code, value]) => [CLOCKS[code] as string, value]);

it.each([
  ['one of each', [[0, 1_764_518_400_000], [1, 33.123456], [2, 123_456_789_012n], [3, 123_456_789_999n]]],
  ['the same again and again', [[0, 5], [0, 5], [0, 5], [1, 5], [1, 5], [0, 5]]],
  ['a clock that is set back, and far ahead', [[0, 1_764_518_400_000], [0, 12], [0, -1], [0, 8.64e15], [0, 0], [0, 2 ** 25], [0, 2 ** 26]]],
  ['moments between nanoseconds', [[1, 0.1 + 0.2], [1, Math.PI], [1, 12.345678], [1, 12.3456785], [1, 1e300], [1, -3.5]]],
  ['a machine that has run for days, and for a year', [[2, 2n ** 47n + 5n], [2, 2n ** 47n + 6n], [3, 2n ** 53n + 1n], [3, 2n ** 53n + 1n], [3, 31_536_000_000_000_001n], [2, 2n ** 47n + 7n]]],
  ['no number at all', [[0, NaN], [1, Infinity], [1, 2.5]]],
] as const)('%s', (_, reads) => {
  expect(packed(reads).reads).toEqual(named(reads));
});

it('reads that follow each other closely take two bytes each', () => {
  const reads = Array.from({ length: 1000 }, (__, at) => [1, (5_000_000_000 + at * 90) / 1e6] as const);
  const { pack, reads: read } = packed(reads);
  expect(read).toEqual(named(reads));
  expect(pack.length).toBeLessThan(2 * reads.length + 8);
});

it('thousands of any sort, in any order', () => {
  let state = 7;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  let [date, moment, ticks] = [1_764_518_400_000, 0, 10n ** 15n];
  const reads = Array.from({ length: 20_000 }, (): readonly [number, number | bigint] => {
    const code = random(4);
    if (code === 0) return [0, (date += random(3) === 0 ? random(2000) - 500 : 0)];
    if (code === 1) return [1, (moment += random(1000)) / 1e6];
    return [code, (ticks += BigInt(random(1_000_000)))];
  });
  expect(packed(reads).reads).toEqual(named(reads));
});
