/** What the thread that ships and the thread of the program tell each other, in memory that both have. */

/** Positions. */
export const SIGNAL = { sealed: 0, done: 1, reason: 2 } as const;
export const DONE = { shipped: 1, failed: 2 } as const;
/** What is said of a failure, in bytes, behind the three signals. */
export const REASON_BYTES = 1024;
/** Between two looks what has been recorded since, and before the first: whoever reads a running program's steps is less than a second behind. */
export const LOOK_MS = 400;
