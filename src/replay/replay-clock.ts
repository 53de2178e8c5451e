/** The clock of a replay: every read gets what the recorded run read there. */
import type { Clock } from '../capture/session.ts';
import { CLOCKS, type ClockRead, DATE, decodeClockReads, HRTIME, HRTIME_BIGINT, PERFORMANCE } from '../model/clock.ts';

export interface ClockSource {
  /** Bytes of the pack that is due now; undefined once the replay has left its recording. */
  nextPack(asked: string): Buffer | undefined;
  packDone(): void;
  mismatch(asked: string, recorded: string): void;
}

export class ReplayClock implements Clock {
  readonly #source: ClockSource;
  #reads: ClockRead[] = [];
  #at = 0;
  #served = 0;

  /** What each clock showed last, by code. */
  readonly #last: (number | bigint)[];

  constructor(source: ClockSource, startedAt: number) {
    this.#source = source;
    this.#last = [startedAt, 0, 0n, 0n];
  }

  /** What each clock showed last, read without taking anything from the log. */
  readonly still: Clock = {
    dateNow: () => this.#last[DATE] as number,
    performanceNow: () => this.#last[PERFORMANCE] as number,
    hrtime: () => this.#last[HRTIME] as bigint,
    hrtimeBigint: () => this.#last[HRTIME_BIGINT] as bigint,
  };

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

  /** The read that the recording has next in a pack already begun. */
  get rest(): ClockRead | undefined {
    return this.#reads[this.#at];
  }

  #next(code: number): number | bigint {
    const asked = CLOCKS[code] as string;
    if (this.#at === this.#reads.length) {
      const pack = this.#source.nextPack(asked);
      if (!pack) return this.#last[code] as number | bigint;
      this.#reads = decodeClockReads(pack);
      this.#at = 0;
      this.#served = 0;
    }
    const read = this.#reads[this.#at] as ClockRead;
    if (read.kind !== asked) {
      this.#source.mismatch(asked, read.kind);
      return this.#last[code] as number | bigint;
    }
    this.#last[code] = read.value;
    if (++this.#served === read.count) {
      this.#served = 0;
      if (++this.#at === this.#reads.length) this.#source.packDone();
    }
    return read.value;
  }

  /** Leaves the log: from here on the clock stands still. */
  stop(): void {
    this.#reads = [];
    this.#at = 0;
  }
}
