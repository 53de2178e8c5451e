const LISTED = 6;

/** @returns at most a few of them: `47, 51, 54, …`. */
export function listed(all: readonly (number | string)[]): string {
  const shown = all.slice(0, LISTED).join(', ');
  return all.length > LISTED ? `${shown}, …` : shown;
}
