// Puts the modules of the command line into few files that are read whole: Node 20 reads and compiles each ES module anew at
// every start, two milliseconds each and more; of a script it takes the compiled code that was kept (src/cli/packs.ts).
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { transform } from 'esbuild';

/** What is loaded at run time: a module of the packs, of Node, of a user. Code of a script that was kept may not import. */
const LOADED_LATER = /\bimport\(/g;

/**
 * @param {{ readonly outputFiles: readonly import('esbuild').OutputFile[], readonly metafile: import('esbuild').Metafile }} built ES modules, split
 * @param {Readonly<Record<string, readonly string[]>>} kinds of packs, and the sources that each begins with: a module is in the first that needs it, and in `rest` when none does
 * @param {Pick<import('esbuild').TransformOptions, 'target' | 'minifySyntax'>} settings
 * @returns {Promise<{ readonly files: ReadonlyMap<string, string>, readonly table: Readonly<Record<string, readonly string[]>> }>} the files by name; the modules of each pack
 */
export async function packs({ outputFiles, metafile }, kinds, settings) {
  const chunks = new Map(Object.entries(metafile.outputs).map(([path, output]) => [nameOf(path), output]));
  const named = (/** @type {string} */ source) => {
    const found = [...chunks].find(([, output]) => output.entryPoint === source);
    if (!found) throw new Error(`${source} is no module that is loaded by itself`);
    return found[0];
  };
  const texts = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
  const files = new Map();
  /** @type {Record<string, string[]>} */
  const table = {};
  const taken = new Set();
  for (const [kind, sources] of [...Object.entries(kinds), ['rest', []]]) {
    const needed = kind === 'rest' ? [...chunks.keys()] : sources.flatMap((source) => [...needs(chunks, named(source))]);
    const names = [...new Set(needed)].filter((name) => !taken.has(name)).sort();
    names.forEach((name) => taken.add(name));
    const modules = await Promise.all(names.map(async (name) => `${JSON.stringify(name)}: function (exports, require, module, __later, __url, __filename) {\n${await commonJs(/** @type {string} */ (texts.get(name)), settings)}}`));
    const text = `({\n${modules.join(',\n')}\n})\n`;
    const pack = `${kind}-${createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase()}`;
    files.set(`${pack}.cjs`, text);
    table[pack] = names;
  }
  return { files, table };
}

function nameOf(/** @type {string} */ path) {
  return basename(path, '.mjs');
}

/**
 * @param {ReadonlyMap<string, import('esbuild').Metafile['outputs'][string]>} chunks
 * @param {string} from
 * @returns {Set<string>} what is loaded with it
 */
function needs(chunks, from, /** @type {Set<string>} */ seen = new Set()) {
  if (seen.has(from)) return seen;
  seen.add(from);
  for (const { path, kind, external } of chunks.get(from)?.imports ?? []) if (!external && kind === 'import-statement') needs(chunks, nameOf(path), seen);
  return seen;
}

/** @param {string} text an ES module */
async function commonJs(text, /** @type {Pick<import('esbuild').TransformOptions, 'target' | 'minifySyntax'>} */ settings) {
  const { code } = await transform(text.replace(LOADED_LATER, '__later('), { ...settings, format: 'cjs', platform: 'node', loader: 'js', define: { 'import.meta.url': '__url' }, legalComments: 'none' });
  return code;
}
