/** Medians and how far the rounds lie apart. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws RangeError when there is nothing */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('No values.');
  const sorted = [...values].sort((a, b) => a - b);
  return { median: median(sorted), least: sorted[0] as number, most: sorted.at(-1) as number };
}

/** @param sorted at least one */
function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Median of the slopes between all pairs (Theil and Sen): one odd value does not move it. Per step of one sample. */
export function slope(values: readonly number[]): number {
  const slopes = values.flatMap((value, at) => values.slice(at + 1).map((later, ahead) => (later - value) / (ahead + 1)));
  return spread(slopes).median;
}
