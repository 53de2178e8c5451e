/** What a program prints on one standard stream, held line by line against what it had printed. */
import type { FirstDifference } from '../../model/divergence.ts';
import { bufferAlloc, bufferConcat, bufferFrom } from '../../runtime/natives.ts';
import { firstDifference } from '../../steps/request-diff.ts';

/** Lines of the runtime's own, which differ between its versions. */
const RUNTIMES_OWN = /^\s+at (?:.*\()?node:|^Node\.js v\d|^\(node:\d+\) |^\(Use `node --trace-/;
const LF = 10;

export interface LineDrift {
  /** Line of the recorded output, from 1. */
  readonly line: number;
  readonly recorded: string | undefined;
  readonly now: string | undefined;
}

export class PrintedLines {
  readonly #expected: readonly Buffer[];
  readonly #sameRuntime: boolean;
  readonly #printed: Buffer[] = [];
  #rest: Buffer = bufferAlloc(0);
  #same = 0;

  constructor(expected: Buffer, sameRuntime: boolean) {
    this.#sameRuntime = sameRuntime;
    const { lines, rest } = linesOf(expected);
    this.#expected = this.#thatCount(rest.length > 0 ? [...lines, rest] : lines);
  }

  /** @returns the first line that differs, of those that are whole */
  print(bytes: Uint8Array): LineDrift | undefined {
    const { lines, rest } = linesOf(bufferConcat([this.#rest, bytes]));
    this.#rest = rest;
    return this.#add(lines);
  }

  /** Nothing more is printed. @returns the first difference */
  end(): LineDrift | undefined {
    const rest = this.#rest;
    this.#rest = bufferAlloc(0);
    return this.#add(rest.length > 0 ? [rest] : []) ?? this.#differenceAt(this.#printed.length < this.#expected.length ? this.#same : Infinity);
  }

  /** All lines that differ; what was added or left out in the middle shifts nothing. */
  drifts(): LineDrift[] {
    const [before, now] = [this.#expected, this.#printed];
    let [from, until, untilNow] = [0, before.length, now.length];
    while (from < Math.min(until, untilNow) && isEqual(before[from], now[from])) from++;
    while (until > from && untilNow > from && isEqual(before[until - 1], now[untilNow - 1])) {
      until--;
      untilNow--;
    }
    const drifts: LineDrift[] = [];
    for (let at = from; at < Math.max(until, untilNow); at++) {
      const [recorded, printed] = [at < until ? before[at] : undefined, at < untilNow ? now[at] : undefined];
      if (!isEqual(recorded, printed)) drifts.push({ line: at + 1, recorded: recorded?.utf8Slice(), now: printed?.utf8Slice() });
    }
    return drifts;
  }

  #add(lines: readonly Buffer[]): LineDrift | undefined {
    this.#printed.push(...this.#thatCount(lines));
    while (this.#same < this.#printed.length && isEqual(this.#expected[this.#same], this.#printed[this.#same])) this.#same++;
    return this.#differenceAt(this.#same < this.#printed.length ? this.#same : Infinity);
  }

  #differenceAt(at: number): LineDrift | undefined {
    return at === Infinity ? undefined : { line: at + 1, recorded: this.#expected[at]?.utf8Slice(), now: this.#printed[at]?.utf8Slice() };
  }

  #thatCount(lines: readonly Buffer[]): Buffer[] {
    return this.#sameRuntime ? [...lines] : lines.filter((line) => !RUNTIMES_OWN.test(line.latin1Slice()));
  }
}

export function lineDifference(field: string, { recorded = '', now = '' }: LineDrift): FirstDifference {
  return { ...firstDifference(bufferFrom(recorded), bufferFrom(now)), field };
}

function isEqual(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a !== undefined && b !== undefined && a.equals(b);
}

function linesOf(bytes: Buffer): { lines: Buffer[]; rest: Buffer } {
  const lines: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
    lines.push(bytes.subarray(from, at + 1));
    from = at + 1;
  }
  return { lines, rest: bytes.subarray(from) };
}
