/** The clock while recording: native values, packed. */
import { ClockPack, DATE, HRTIME, HRTIME_BIGINT, PERFORMANCE } from '../model/clock.ts';
import { dateNow, hrtimeBigint, performanceNow } from '../runtime/natives.ts';
import { isOwn } from '../runtime/own.ts';
import type { Clock } from './session.ts';

export class RecordClock implements Clock {
  readonly pack: ClockPack = new ClockPack();

  dateNow(): number {
    const value = dateNow();
    if (!isOwn()) this.pack.add(DATE, value);
    return value;
  }

  performanceNow(): number {
    const value = performanceNow();
    if (!isOwn()) this.pack.add(PERFORMANCE, value);
    return value;
  }

  hrtime(): bigint {
    const value = hrtimeBigint();
    if (!isOwn()) this.pack.addBigint(HRTIME, value);
    return value;
  }

  hrtimeBigint(): bigint {
    const value = hrtimeBigint();
    if (!isOwn()) this.pack.addBigint(HRTIME_BIGINT, value);
    return value;
  }
}
