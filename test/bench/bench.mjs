// The harness beside bare Node and its peers, in one run.
//
//   npm run bench [-- --quick] [--rounds N] [--no-peers] [--json FILE] [--keep] [ROW…]
//   npm run bench -- --profile ROW
//
// A full run of all rows is kept in results/latest.json and docs/benchmarks.md; any other with --keep.
// What the rows store, store-server and search print is kept in results/ROW.txt with --keep, and stands in docs/benchmarks.md from the next result on.
// Exit code 1 only when a correctness column of the harness is wrong, never by a figure.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
const readable = args.includes('--profile') && !process.env.HARNESS_DIST ? mkdtempSync(join(tmpdir(), 'replay-harness-bench-dist-')) : undefined;
if (readable) {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url)), readable], { stdio: 'inherit' });
  process.env.HARNESS_DIST = readable;
}
register('../stress/typescript-hook.mjs', import.meta.url);
try {
  const { bench } = await import('./bench.ts');
  process.exitCode = await bench(args);
} finally {
  if (readable) rmSync(readable, { recursive: true, force: true });
}
