// Bundles what users run: the preload (CommonJS, for --import and -r alike) and the command line.
// `node scripts/build.mjs FOLDER` builds into that folder instead, and not minified: a profile names functions and files.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { AS_FUNCTION } from './as-function.mjs';
import { VITEST_TYPES, writeDeclarations } from './declarations.mjs';
import { thirdPartyLicenses } from './licenses.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Built beside and swapped in: a run that uses the old build at this moment is not disturbed.
const [elsewhere] = process.argv.slice(2);
const out = elsewhere ?? `${root}/dist.${process.pid}`;
const old = `${out}.old`;
const requireInModule = "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url), __filename = import.meta.filename;";

// pg asks by `new Response()` whether it runs at Cloudflare: that loads all of Node 20's fetch, 20 ms and more.
const CLOUDFLARE = 'function isCloudflareRuntime() {';
const pgOnNode = {
  name: 'pg-on-node',
  setup: ({ onLoad }) => onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) => {
    const source = readFileSync(path, 'utf8');
    if (!source.includes(CLOUDFLARE)) throw new Error(`${path} no longer has ${CLOUDFLARE}`);
    return { contents: source.replace(CLOUDFLARE, `${CLOUDFLARE} return false;`) };
  }),
};

const common = { plugins: [pgOnNode], bundle: true, metafile: true, absWorkingDir: root, platform: 'node', target: 'node20.20', legalComments: 'eof', logLevel: 'warning', minifyWhitespace: !elsewhere, minifySyntax: !elsewhere };
try {
  mkdirSync(`${out}/loader`, { recursive: true });
  // Loading the preload is part of every recorded run's start: what a replay needs is a file of its own.
  const preload = await build({ ...common, entryPoints: { preload: `${root}/loader/preload.ts`, ship: `${root}/loader/ship-entry.ts`, stop: `${root}/loader/stop.ts`, 'debugger-thread': `${root}/loader/debugger-thread.ts`, 'peer-thread': `${root}/loader/peer-thread.ts` }, external: ['pg-native'], outdir: `${out}/loader`, outExtension: { '.js': '.cjs' }, format: 'cjs' });
  const bundles = await build({ ...common, entryPoints: { record: `${root}/loader/record-entry.ts`, replay: `${root}/loader/replay-entry.ts` }, external: ['pg-native'], outdir: `${out}/loader`, outExtension: { '.js': '.cjs' }, format: 'cjs', ...AS_FUNCTION });
  // What is imported is the preload itself: to require it from there would take a millisecond or two.
  const register = await build({ ...common, entryPoints: { register: `${root}/loader/preload.ts` }, outdir: `${out}/loader`, outExtension: { '.js': '.mjs' }, format: 'esm', banner: { js: 'const __dirname = import.meta.dirname;' } });
  // msw and what it brings: loaded where a replay answers by meaning, and there alone.
  const network = await build({ ...common, entryPoints: [`${root}/src/replay/semantic/network.ts`], outfile: `${out}/loader/semantic-network.cjs`, format: 'cjs', inject: [`${root}/src/runtime/network-globals.ts`], define: { 'Promise.withResolvers': 'withResolvers', 'Math.random': 'pristineRandom' } });
  // What one command needs is loaded by it alone.
  const cli = await build({ ...common, minifyWhitespace: false, entryPoints: { main: `${root}/src/cli/main.ts`, api: `${root}/src/api/index.ts`, vitest: `${root}/src/api/vitest.ts` }, outdir: `${out}/cli`, outExtension: { '.js': '.mjs' }, chunkNames: '[name]-[hash]', splitting: true, external: ['@electric-sql/*', 'pg-native'], format: 'esm', banner: { js: requireInModule } });
  chmodSync(`${out}/cli/main.mjs`, 0o755);
  writeDeclarations(root, ['src/api/index.ts', 'src/api/vitest.ts'], `${out}/types`);
  writeFileSync(`${out}/types/vitest.d.ts`, VITEST_TYPES);
  // Both entries are run for their effect and export nothing.
  for (const types of ['register.d.mts', 'preload.d.cts']) writeFileSync(`${out}/loader/${types}`, 'export {};\n');
  writeFileSync(`${out}/THIRD-PARTY-LICENSES.txt`, thirdPartyLicenses(root, [preload.metafile, bundles.metafile, register.metafile, network.metafile, cli.metafile]));
  if (!elsewhere) {
    if (existsSync(`${root}/dist`)) renameSync(`${root}/dist`, old);
    renameSync(out, `${root}/dist`);
    compile();
  }
} finally {
  if (!elsewhere) rmSync(out, { recursive: true, force: true });
  if (!elsewhere) rmSync(old, { recursive: true, force: true });
}

/** For this version of Node, as the command line does on its first use. */
function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-build-'));
  try {
    spawnSync(process.execPath, [`${root}/dist/cli/main.mjs`, 'record', '--store', folder, '--', process.execPath, '-e', '0'], { cwd: folder, env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder }, stdio: 'ignore' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
