// Module hooks: an extension may be left out, types are compiled away by esbuild, which is a process of its own.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

export async function resolve(specifier, context, next) {
  return next(/^\.\/[^.]+$/.test(specifier) ? `${specifier}.ts` : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts', format: 'esm', sourcemap: 'inline', sourcefile: fileURLToPath(url) });
  return { format: 'module', source: code, shortCircuit: true };
}
