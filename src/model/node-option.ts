/** Options of Node as they stand in NODE_OPTIONS. */

/** Required, not imported: `--import` would make Node start a CommonJS program in another way than it does bare. */
export function requireOption(preload: string): string {
  return `--require ${quoted(preload)}`;
}

/** NODE_OPTIONS is split at spaces, save within double quotes; a backslash escapes. */
function quoted(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
