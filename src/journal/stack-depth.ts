/** The program may be at the end of its stack when it reaches the recorder. */

/** Far more than any step of the journal takes. */
const LEVELS = 150;

/**
 * Overflows now rather than in the middle of something that cannot be done by halves.
 * @throws RangeError as the program's own next calls would
 */
export function requireStack(levels: number = LEVELS): number {
  return levels === 0 ? 0 : requireStack(levels - 1) + 1;
}

export function isOverflow(error: unknown): boolean {
  return (error as Error).message === 'Maximum call stack size exceeded';
}
