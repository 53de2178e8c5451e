/** Errors of what ran in a process of its own, as the contract's classes. */
import { ConfigError, HarnessError, IntegrityError, LiveCallBlockedError, StoreUnavailableError, TruncatedError } from '../model/error.ts';

/** @param code how the process ended @param said what it said on stderr */
export function errorOf(code: number, said: string): HarnessError {
  // The usage of a command helps nobody who called a function.
  const message = said.replace(/^replay-harness: /, '').replace(/\n\nreplay-harness \w+ [^]*$/, '').trim() || `replay-harness ended with exit ${code} and said nothing`;
  const make = BY_CODE[code];
  return make ? make(message) : new HarnessError(message, 'FAILED', 1);
}

const BY_CODE: Readonly<Record<number, (message: string) => HarnessError>> = {
  2: (message) => new ConfigError(message),
  4: (message) => new IntegrityError(message),
  5: (message) => new StoreUnavailableError(message),
  6: (message) => new LiveCallBlockedError(message),
  7: (message) => new TruncatedError(message),
};
