/** Names of signals, and what it means for a recording that one of them ended the process. */
import { nativeOs } from '../runtime/natives.ts';

const NUMBERS: Readonly<Record<string, number>> = nativeOs.constants.signals;

/** @returns `SIGTERM` of 15 on Linux; `signal N` for one without a name */
export function signalName(number: number): string {
  return Object.keys(NUMBERS).find((name) => NUMBERS[name] === number) ?? `signal ${number}`;
}

/** The process failed (out of memory, abort) or was given no chance: what came before is not known to be all. */
const CRASHES: ReadonlySet<string> = new Set(['SIGKILL', 'SIGABRT', 'SIGIOT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS', 'SIGSTKFLT', 'SIGXCPU', 'SIGXFSZ']);

/** Whether a process that died of this signal was asked to end: its recording is whole. */
export function isRequestToEnd(signal: string): boolean {
  return !CRASHES.has(signal);
}
