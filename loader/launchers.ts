/** Programs that only start other programs: never runs themselves; what they start is. */
const LAUNCHERS = [
  /\/npm\/bin\/np[mx](-cli)?\.js$/,
  /\/bin\/np[mx]$/,
  /\/(pnpm|yarn|corepack)\/(bin|dist)\/[^/]+\.[cm]?js$/,
  /\/bin\/(pnpm|pnpx|yarn|yarnpkg|corepack|tsx|vitest)$/,
  /\/tsx\/dist\/cli\.[cm]?js$/,
  /\/vitest\/vitest\.mjs$/,
  /\/(replay-harness\/|main\/)?dist\/cli\/main\.mjs$/,
  /\/bin\/replay-harness$/,
];

export function isLauncher(entry: string | undefined): boolean {
  return entry !== undefined && LAUNCHERS.some((pattern) => pattern.test(entry));
}
