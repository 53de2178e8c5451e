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
import { packs } from './packs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Built beside and swapped in: a run that uses the old build at this moment is not disturbed.
const [elsewhere] = process.argv.slice(2);
const out = elsewhere ?? `${root}/dist.${process.pid}`;
const old = `${out}.old`;

// pg asks by `new Response()` whether it runs at Cloudflare: that loads all of Node 20's fetch, 20 ms and more.
const CLOUDFLARE = 'function isCloudflareRuntime() {';
const pgOnNode = {
  name: 'pg-on-node',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(CLOUDFLARE)) throw new Error(`${path} no longer has ${CLOUDFLARE}`);
      return { contents: source.replace(CLOUDFLARE, `${CLOUDFLARE} return false;`) };
    });
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]crypto[\\/]utils\.js$/ }, () => ({ contents: `module.exports = require(${JSON.stringify(`${root}/src/store/sql/pg-crypto.ts`)});` }));
  },
};

const common = { plugins: [pgOnNode], bundle: true, metafile: true, absWorkingDir: root, platform: 'node', target: 'node20.20', legalComments: 'eof', logLevel: 'warning', minifyWhitespace: !elsewhere, minifySyntax: !elsewhere };
// An error names a line that people can read. What one command needs is loaded by it alone.
const modules = { ...common, minifyWhitespace: false, outExtension: { '.js': '.mjs' }, chunkNames: '[name]-[hash]', splitting: true, external: ['@electric-sql/*', 'pg-native'], format: 'esm' };
// Files that the command line is read from: with what it begins, and then what a verb needs of it.
const PACKS = {
  start: ['src/cli/main.ts', 'src/cli/commands/replay.ts'],
  server: ['src/cli/searched-database.ts', 'src/cli/commands/search.ts'],
  steps: ['src/cli/commands/runs.ts', 'src/cli/commands/show.ts', 'src/store/sql/sql-runs.ts'],
  archive: ['src/store/retention/s3-place.ts'],
};
try {
  mkdirSync(`${out}/loader`, { recursive: true });
  // Loading the preload is part of every recorded run's start: what a replay needs is a file of its own.
  const preload = await build({ ...common, entryPoints: { preload: `${root}/loader/preload.ts`, ship: `${root}/loader/ship-entry.ts`, 'ship-thread': `${root}/loader/ship-thread.ts`, stop: `${root}/loader/stop.ts`, 'debugger-thread': `${root}/loader/debugger-thread.ts`, 'peer-thread': `${root}/loader/peer-thread.ts` }, external: ['./ship.cjs', 'pg-native'], outdir: `${out}/loader`, outExtension: { '.js': '.cjs' }, format: 'cjs' });
  const bundles = await build({ ...common, entryPoints: { record: `${root}/loader/record-entry.ts`, replay: `${root}/loader/replay-entry.ts` }, external: ['pg-native'], outdir: `${out}/loader`, outExtension: { '.js': '.cjs' }, format: 'cjs', ...AS_FUNCTION });
  // What is imported is the preload itself: to require it from there would take a millisecond or two.
  const register = await build({ ...common, entryPoints: { register: `${root}/loader/preload.ts` }, outdir: `${out}/loader`, outExtension: { '.js': '.mjs' }, format: 'esm', banner: { js: 'const __dirname = import.meta.dirname;' } });
  // msw and what it brings: loaded where a replay answers by meaning, and there alone.
  const network = await build({ ...common, entryPoints: [`${root}/src/replay/semantic/network.ts`], outfile: `${out}/loader/semantic-network.cjs`, format: 'cjs', inject: [`${root}/src/runtime/network-globals.ts`], define: { 'Promise.withResolvers': 'withResolvers', 'Math.random': 'pristineRandom' } });
  const cli = await build({ ...modules, entryPoints: { main: `${root}/src/cli/main.ts`, api: `${root}/src/api/index.ts`, vitest: `${root}/src/api/vitest.ts` }, outdir: `${out}/cli`, write: false });
  const { files, table } = await packs(cli, PACKS, { target: common.target, minifySyntax: common.minifySyntax });
  mkdirSync(`${out}/cli`);
  for (const [name, text] of files) writeFileSync(`${out}/cli/${name}`, text);
  await build({ ...common, minifyWhitespace: false, entryPoints: { main: `${root}/src/cli/entry.ts`, load: `${root}/src/cli/packs.ts` }, outdir: `${out}/cli`, outExtension: { '.js': '.mjs' }, format: 'esm', define: { PACKS: JSON.stringify(table) } });
  chmodSync(`${out}/cli/main.mjs`, 0o755);
  for (const [name, source] of [['api', 'src/api/index.ts'], ['vitest', 'src/api/vitest.ts']]) {
    const { exports = [] } = Object.values(cli.metafile.outputs).find(({ entryPoint }) => entryPoint === source) ?? {};
    writeFileSync(`${out}/cli/${name}.mjs`, `import { load } from './load.mjs';\nexport const { ${exports.join(', ')} } = load('./${name}.mjs');\n`);
  }
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
