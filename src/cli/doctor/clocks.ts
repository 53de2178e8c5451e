/** Rules on the wall clock: it was moved during the run, or is not that of the services that answered. */
import { decodeClockReads } from '../../model/clock.ts';
import type { LaneEvent } from '../../model/event.ts';
import { headerValue } from '../../steps/http1.ts';
import { recordedExchanges } from '../../steps/recorded-exchanges.ts';
import type { Step } from '../../steps/step.ts';
import { duration } from '../render/text.ts';
import type { Finding } from './finding.ts';

type Found = Omit<Finding, 'run'>;

/** Milliseconds. Smaller ones are those of a clock that is kept right by NTP. */
const JUMP = 1000;
/** Milliseconds. `Date` counts in seconds, and answers wait in queues and caches. */
const SKEW = 60_000;

/** The largest step of the wall clock against the steady one, as the program saw it. */
export function clockJumps(events: readonly LaneEvent[]): Found[] {
  const [begin] = events;
  if (begin?.type !== 'begin') return [];
  let latest = -Infinity;
  let largest: { readonly by: number; readonly step: number } | undefined;
  for (const event of events) {
    if (event.type !== 'value' || event.kind !== 'clock') continue;
    // Reads are written behind the last of them: none was later than that.
    const atMost = begin.facts.startedAt + (event.at - begin.at) / 1000;
    for (const { kind, value } of decodeClockReads(event.data)) {
      if (kind !== 'Date.now' || typeof value !== 'number') continue;
      const by = value < latest ? value - latest : Math.max(0, value - Math.max(atMost, latest));
      if (Math.abs(by) > Math.max(JUMP, Math.abs(largest?.by ?? 0))) largest = { by, step: event.seq };
      latest = value;
    }
  }
  if (!largest) return [];
  const how = largest.by < 0 ? 'was set back' : 'jumped ahead (it was set, or the machine slept)';
  return [{ rule: 'clock-jump', effect: 'live', step: largest.step, what: `the machine’s clock ${how} during the run, by ${duration(Math.abs(largest.by))}`, where: '', wayOut: 'replay gives the recorded values; what the program measures by Date.now is wrong in both: measure by performance.now, and keep the clock by NTP (chronyc tracking, timedatectl)' }];
}

/** The answer whose `Date` is furthest from the moment at which it came. */
export function clockSkew(events: readonly LaneEvent[], steps: readonly Step[]): Found[] {
  const ended = new Map(steps.map(({ step, startedAt, latencyMs }) => [step, Date.parse(startedAt) + (latencyMs ?? 0)]));
  let worst: { readonly by: number; readonly step: number; readonly url: string } | undefined;
  for (const { step, url, exchange: { response } } of recordedExchanges(events)) {
    const [date, age, came] = [Date.parse(headerValue(response?.headers ?? [], 'date') ?? ''), Number(headerValue(response?.headers ?? [], 'age') ?? 0), ended.get(step)];
    // An answer that a cache kept says how old it is.
    const by = came === undefined || Number.isNaN(date) || Number.isNaN(age) ? 0 : date + age * 1000 - came;
    if (Math.abs(by) > Math.max(SKEW, Math.abs(worst?.by ?? 0))) worst = { by, step, url };
  }
  if (!worst) return [];
  const { host } = new URL(worst.url);
  return [{ rule: 'clock-skew', effect: 'live', step: worst.step, what: `the recorded clock is ${duration(Math.abs(worst.by))} ${worst.by > 0 ? 'behind' : 'ahead of'} that of ${host} (its Date header)`, where: '', wayOut: 'replay gives the recorded time; signed requests, tokens and caches go by it when calls are live: set the clock of the machine that records by NTP (chronyc tracking, timedatectl)' }];
}
