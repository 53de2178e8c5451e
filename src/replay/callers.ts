/** Who starts a timer or a lookup: the runtime's own network code, in a way of its version's own, or the program. */
import { type CallSite, callSites } from '../runtime/stack.ts';
import type { AnyFunction } from '../runtime/patches.ts';

const TIMERS = /^node:(?:internal\/timers|timers)$/;
const NETWORK = /^node:(?:internal\/deps\/undici\/|_http_|internal\/http|https?$|net$|internal\/net|_tls_|internal\/tls|tls$|internal\/stream_base_commons|internal\/http2)/;
/** Time limits that the program has set for a socket. */
const LIMIT = /^node:internal\/stream_base_commons$/;
/** What looks a name up in order to connect, by itself or by a function that the program has given it. */
const CONNECTS = /^(?:lookupAndConnect|lookupAndConnectMultiple|emitLookup)$/;
const FILES = /^node:(?:fs|internal\/fs\/promises)$/;
const WHOLE = /^(?:readFile|writeFile)$/;
const FRAMES = 12;

export function isByNetwork(below: AnyFunction): boolean {
  return NETWORK.test(callerOf(below));
}

/** Of the network code, what sets the time limits of sockets. */
export function isTimeLimit(below: AnyFunction): boolean {
  return LIMIT.test(callerOf(below));
}

export function isToConnect(below: AnyFunction): boolean {
  return callSites(2 * FRAMES, below).some((site) => fileOf(site) === 'node:net' && CONNECTS.test(site.getFunctionName() ?? ''));
}

/** What reads or writes a file whole, in calls of its own; a program that opens the file itself is another one. */
export function isOfWholeFile(below: AnyFunction): boolean {
  return callSites(2 * FRAMES, below).some((site) => FILES.test(fileOf(site)) && WHOLE.test(site.getFunctionName() ?? ''));
}

function callerOf(below: AnyFunction): string {
  return callSites(FRAMES, below).map(fileOf).find((file) => file !== '' && !isHarness(file) && !TIMERS.test(file)) ?? '';
}

function fileOf(site: CallSite): string {
  return site.getFileName() ?? '';
}

function isHarness(file: string): boolean {
  return file === __filename;
}
