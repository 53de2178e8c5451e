/** Which step of one run is which of another: the pairing in order that agrees most (Needleman and Wunsch), then what only moved. */

export interface Alignable {
  /** Equal where the very same was asked. */
  readonly asked: string;
  /** Equal where the same sort of thing was asked: a method and a path, a file operation, a model call of one conversation. */
  readonly sort: string;
  /** Steps of different families are never each other's. */
  readonly family: string;
}

/** Positions in the one and in the other run. */
export type Pairing = readonly (readonly [one: number | null, other: number | null])[];

const SAME = 8;
const SAME_SORT = 3;
const SAME_FAMILY = 1;
/** Cells of the table beyond which only what stands out is matched: 64 MB. */
const MOST_CELLS = 16_000_000;

export function align(one: readonly Alignable[], other: readonly Alignable[]): Pairing {
  let start = 0;
  while (start < one.length && start < other.length && isSame(one[start], other[start])) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && isSame(one[one.length - 1 - end], other[other.length - 1 - end])) end++;
  const between = alignBetween(one.slice(start, one.length - end), other.slice(start, other.length - end));
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...between.map(([a, b]): [number | null, number | null] => [a === null ? null : a + start, b === null ? null : b + start]),
    ...Array.from({ length: end }, (_, at): [number, number] => [one.length - end + at, other.length - end + at]),
  ];
}

function isSame(one: Alignable | undefined, other: Alignable | undefined): boolean {
  return one !== undefined && other !== undefined && one.asked === other.asked;
}

function alignBetween(one: readonly Alignable[], other: readonly Alignable[]): Pairing {
  return (one.length + 1) * (other.length + 1) > MOST_CELLS ? byAnchors(one, other) : byScore(one, other);
}

function byScore(one: readonly Alignable[], other: readonly Alignable[]): Pairing {
  const width = other.length + 1;
  const best = new Int32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const score = scoreOf(one[i] as Alignable, other[j] as Alignable);
      const paired = score > 0 ? score + (best[(i + 1) * width + j + 1] as number) : 0;
      best[i * width + j] = Math.max(paired, best[(i + 1) * width + j] as number, best[i * width + j + 1] as number);
    }
  }
  const pairs: [number | null, number | null][] = [];
  for (let [i, j] = [0, 0]; i < one.length || j < other.length; ) {
    const score = i < one.length && j < other.length ? scoreOf(one[i] as Alignable, other[j] as Alignable) : 0;
    if (score > 0 && best[i * width + j] === score + (best[(i + 1) * width + j + 1] as number)) pairs.push([i++, j++]);
    else if (j >= other.length || (i < one.length && (best[(i + 1) * width + j] as number) >= (best[i * width + j + 1] as number))) pairs.push([i++, null]);
    else pairs.push([null, j++]);
  }
  return pairs;
}

function scoreOf(one: Alignable, other: Alignable): number {
  if (one.family !== other.family) return 0;
  return one.asked === other.asked ? SAME : one.sort === other.sort ? SAME_SORT : SAME_FAMILY;
}

/** What was asked once in each run holds the rest in place; what is still too much between two of them is paired as it comes. */
function byAnchors(one: readonly Alignable[], other: readonly Alignable[]): Pairing {
  const anchors = increasing(onceInBoth(one, other));
  const pairs: [number | null, number | null][] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...anchors, [one.length, other.length] as const]) {
    const [left, right] = [one.slice(i, a), other.slice(j, b)];
    const between: Pairing = (left.length + 1) * (right.length + 1) > MOST_CELLS ? inOrder(left.length, right.length) : byScore(left, right);
    for (const [x, y] of between) pairs.push([x === null ? null : x + i, y === null ? null : y + j]);
    if (a < one.length) pairs.push([a, b]);
    [i, j] = [a + 1, b + 1];
  }
  return pairs;
}

function inOrder(one: number, other: number): Pairing {
  return Array.from({ length: Math.max(one, other) }, (_, at): [number | null, number | null] => [at < one ? at : null, at < other ? at : null]);
}

function onceInBoth(one: readonly Alignable[], other: readonly Alignable[]): [number, number][] {
  const places = (items: readonly Alignable[]): Map<string, number> => {
    const found = new Map<string, number>();
    for (const [at, { asked }] of items.entries()) found.set(asked, found.has(asked) ? -1 : at);
    return found;
  };
  const others = places(other);
  return [...places(one)].flatMap(([asked, at]): [number, number][] => {
    const there = others.get(asked) ?? -1;
    return at >= 0 && there >= 0 ? [[at, there]] : [];
  }).sort(([a], [b]) => a - b);
}

/** @returns the longest part of the pairs in which the second rises, too. */
function increasing(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] as number] as readonly [number, number])[1] < value) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = at;
  }
  const chosen: (readonly [number, number])[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] as number) chosen.push(pairs[at] as readonly [number, number]);
  return chosen.reverse();
}

/** Steps that have no partner in order, but one elsewhere that asked the very same. */
export function withMoved(pairing: Pairing, one: readonly Alignable[], other: readonly Alignable[]): { readonly one: number | null; readonly other: number | null; readonly moved: boolean }[] {
  const alone = new Map<string, number[]>();
  for (const [a, b] of pairing) {
    if (a !== null || b === null) continue;
    const asked = (other[b] as Alignable).asked;
    alone.set(asked, [...(alone.get(asked) ?? []), b]);
  }
  const taken = new Set<number>();
  const paired = pairing.map(([a, b]) => {
    const there = a !== null && b === null ? alone.get((one[a] as Alignable).asked)?.shift() : undefined;
    if (there === undefined) return { one: a, other: b, moved: false };
    taken.add(there);
    return { one: a, other: there, moved: true };
  });
  return paired.filter(({ one: a, other: b }) => a !== null || b === null || !taken.has(b));
}
