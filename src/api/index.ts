/** What the command line is built on, for programs: results and errors with types, and nothing printed. */
export type { Comparison, LaneDiff } from '../cli/compare-runs.ts';
export type { ListedRun } from '../cli/listed-run.ts';
export type { VerifiedRun } from '../cli/verify/result.ts';
export type { Drift, FirstDifference, Report, Verdict } from '../model/divergence.ts';
export { ConfigError, HarnessError, IntegrityError, LiveCallBlockedError, ReplayExhaustedError, ReplayLeftoverError, ReplayMismatchError, RunNotFoundError, SealedError, StoreUnavailableError, TooLargeError, TruncatedError, UnsupportedRuntimeError } from '../model/error.ts';
export type { Notable } from '../steps/notable/notable.ts';
export type { Step } from '../steps/step.ts';
export { assertReplays } from './assert.ts';
export type { Performed, Surroundings } from './process.ts';
export { fork, type Forked, type ForkOptions, record, type Recorded, type RecordOptions, replay, type Replayed, type ReplayOptions } from './programs.ts';
export { openStore, type ShownLane, type ShownRun, type Store } from './store.ts';
export { verify, type Verified, type VerifyOptions } from './verify.ts';
