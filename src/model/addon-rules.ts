/** Which native addons the configuration declares pure, and how an addon is recognised. */

/** An addon as it is loaded. */
export interface Addon {
  /** Absolute path of its file. */
  readonly path: string;
  /** Packages that it belongs to: the one that its file lies in, and the one that loads it. */
  readonly packages: readonly string[];
}

/** @param patterns package names or globs of paths: `*` is anything within a name, `**` anything */
export function isPure({ path, packages }: Addon, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const glob = globOf(pattern);
    return packages.some((name) => new RegExp(`^${glob}$`).test(name)) || new RegExp(`^(?:.*/)?${glob.replace(/^\//, '')}$`).test(path.slice(1));
  });
}

function globOf(pattern: string): string {
  return pattern.replace(/\*\*|\*|[.+?^${}()|[\]\\]/g, (found) => (found === '**' ? '.*' : found === '*' ? '[^/]*' : `\\${found}`));
}

/** @returns the package that a file lies in, '' where it lies in none */
export function packageOf(file: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? '';
}
