/** The clock where reads are not compared: each turn shows what was read in it, and then stands where it stood last. */
import type { Clock } from '../../capture/session.ts';
import { CLOCKS, DATE, decodeClockReads, HRTIME, HRTIME_BIGINT, PERFORMANCE } from '../../model/clock.ts';

export class SemanticClock implements Clock {
  readonly #startedAt: number;
  /** What this turn has read and nobody has asked for, by clock. */
  readonly #due: (number | bigint)[][] = [[], [], [], []];
  readonly #last: (number | bigint)[];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.#last = [startedAt, 0, 0n, 0n];
  }

  /** @param at microseconds since the run began, when the turn came @param packs what was read in it */
  begin(at: number, packs: readonly Buffer[]): void {
    for (const code of [DATE, PERFORMANCE, HRTIME, HRTIME_BIGINT]) this.#due[code] = [];
    this.#advance(at);
    for (const { kind, value, count } of packs.flatMap((pack) => decodeClockReads(pack))) {
      const due = this.#due[CLOCKS.indexOf(kind)] as (number | bigint)[];
      for (let read = 0; read < count; read++) due.push(value);
    }
  }

  dateNow(): number {
    return this.#next(DATE) as number;
  }

  performanceNow(): number {
    return this.#next(PERFORMANCE) as number;
  }

  hrtime(): bigint {
    return this.#next(HRTIME) as bigint;
  }

  hrtimeBigint(): bigint {
    return this.#next(HRTIME_BIGINT) as bigint;
  }

  /** No clock goes back, and none stands still while a run waits. */
  #advance(at: number): void {
    const date = Math.floor(this.#startedAt + at / 1000);
    if (date > (this.#last[DATE] as number)) this.#last[DATE] = date;
    const elapsed = at / 1000;
    if (elapsed > (this.#last[PERFORMANCE] as number)) this.#last[PERFORMANCE] = elapsed;
  }

  #next(code: number): number | bigint {
    const due = (this.#due[code] as (number | bigint)[]).shift();
    if (due !== undefined) this.#last[code] = due;
    return this.#last[code] as number | bigint;
  }
}
