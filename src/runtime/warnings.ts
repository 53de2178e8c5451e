/** What Node's own code warns of while a call of it runs. */
import { apply } from './natives.ts';
import { patchMethod } from './patches.ts';

type Warning = readonly string[];

let collected: Warning[] | undefined;
let isQuiet = false;

export function installWarnings(): void {
  patchMethod(process, 'emitWarning', (native) => function (this: unknown, ...args: unknown[]): unknown {
    if (isQuiet) return undefined;
    // Text, type and code; errors and options are the program's own.
    if (collected && typeof args[0] === 'string' && typeof args[1] !== 'object') collected.push(args.filter((arg) => typeof arg === 'string'));
    return apply(native, this, args) as unknown;
  });
}

/** @returns the warnings that `run` emitted: arguments of process.emitWarning */
export function warningsOf(run: () => void): readonly Warning[] {
  const before = collected;
  const own: Warning[] = [];
  collected = own;
  try {
    run();
  } finally {
    collected = before;
  }
  return own;
}

/** Runs what would warn of something that the program has been warned of, or never asked for. */
export function quietly<T>(run: () => T): T {
  const before = isQuiet;
  isQuiet = true;
  try {
    return run();
  } finally {
    isQuiet = before;
  }
}

export function warnAgain(warnings: readonly Warning[]): void {
  for (const warning of warnings) apply(process.emitWarning, process, warning as string[]);
}
