/** An error that a user can cause. The message says what was asked, what is wrong and what to do; `exitCode` is the contract's. */
export class HarnessError extends Error {
  readonly code: string;
  readonly exitCode: number;
  constructor(message: string, code: string, exitCode: number) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The program asked for something other than the recording holds. */
export class ReplayMismatchError extends HarnessError {
  constructor(message: string) {
    super(message, 'REPLAY_MISMATCH', 3);
  }
}

/** The program asked for more than was recorded. */
export class ReplayExhaustedError extends HarnessError {
  constructor(message: string) {
    super(message, 'REPLAY_EXHAUSTED', 3);
  }
}

/** The program ended while recorded steps were left. */
export class ReplayLeftoverError extends HarnessError {
  constructor(message: string) {
    super(message, 'REPLAY_LEFTOVER', 3);
  }
}

/** Something that would touch the world was asked for in replay. */
export class LiveCallBlockedError extends HarnessError {
  constructor(message: string) {
    super(message, 'LIVE_CALL_BLOCKED', 3);
  }
}

/** A recording is damaged, foreign or was altered. */
export class IntegrityError extends HarnessError {
  constructor(message: string) {
    super(message, 'INTEGRITY', 4);
  }
}

/** A recording is sealed to a key that is not here. */
export class SealedError extends HarnessError {
  constructor(message: string) {
    super(message, 'SEALED', 2);
  }
}

/** The recorded process ended before there was anything to replay. */
export class TruncatedError extends HarnessError {
  constructor(message: string) {
    super(message, 'TRUNCATED', 7);
  }
}

/** The store cannot be reached or written. */
export class StoreUnavailableError extends HarnessError {
  constructor(message: string) {
    super(message, 'STORE_UNAVAILABLE', 5);
  }
}

/** A flag, variable or configuration file is wrong. */
export class ConfigError extends HarnessError {
  constructor(message: string) {
    super(message, 'CONFIG', 2);
  }
}

/** The login of a store on a server has not the role for what was asked. */
export class ForbiddenError extends HarnessError {
  constructor(message: string) {
    super(message, 'FORBIDDEN', 2);
  }
}

/** Asked for a run that is not there, or for something this store cannot answer. */
export class RunNotFoundError extends HarnessError {
  constructor(message: string) {
    super(message, 'RUN_NOT_FOUND', 2);
  }
}

/** What was asked needs more memory than there is. */
export class TooLargeError extends HarnessError {
  constructor(message: string) {
    super(message, 'TOO_LARGE', 1);
  }
}

/** This Node version or platform is not supported, or differs from the recording's. */
export class UnsupportedRuntimeError extends HarnessError {
  constructor(message: string) {
    super(message, 'UNSUPPORTED_RUNTIME', 1);
  }
}
