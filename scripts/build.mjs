// Bundles what users run: the preload (one CommonJS file, for --import and -r alike) and the command line.
import { rmSync, writeFileSync, mkdirSync, chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = `${root}/dist`;
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/loader`, { recursive: true });

const common = { bundle: true, platform: 'node', target: 'node20.20', legalComments: 'eof', logLevel: 'warning', keepNames: false };
await build({ ...common, entryPoints: [`${root}/loader/preload.ts`], outfile: `${out}/loader/preload.cjs`, format: 'cjs' });
await build({ ...common, entryPoints: [`${root}/src/cli/main.ts`], outfile: `${out}/cli/main.mjs`, format: 'esm', banner: { js: `#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url), __filename = import.meta.filename;` } });
chmodSync(`${out}/cli/main.mjs`, 0o755);
writeFileSync(`${out}/loader/register.mjs`, `import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('./preload.cjs');\n`);
// Both entries are run for their effect and export nothing.
for (const types of ['register.d.mts', 'preload.d.cts']) writeFileSync(`${out}/loader/${types}`, 'export {};\n');
