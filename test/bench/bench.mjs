// The harness beside bare Node and its peers, in one run.
//
//   npm run bench [-- --quick] [--rounds N] [--no-peers] [--json FILE] [--keep] [ROW…]
//   npm run bench -- --profile ROW
//
// Each row of a full run of all is kept in results/ROW.txt, and docs/benchmarks.md is made of what is kept; of any other run with --keep.
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
