// Modules in every form that this version has: required ES modules, hooks in this thread, facts of import.meta, data, evaluated text.
import module, { builtinModules, createRequire, findSourceMap, isBuiltin } from 'node:module';
import { basename } from 'node:path';
const require = createRequire(import.meta.url);
console.log(basename(import.meta.filename ?? ''), basename(import.meta.dirname ?? ''), basename(import.meta.url), import.meta.resolve('node:fs'), import.meta.main, typeof import.meta.resolve('./modules.mjs'));
try { console.log(Object.keys(require('../modules/plain.mjs'))); } catch ({ code }) { console.log(code); }
console.log((await import('../modules/data.json', { with: { type: 'json' } })).default, require('../modules/data.json') !== undefined);
const events = [];
const timer = new Promise((resolve) => setTimeout(() => resolve(events.push('timer')), 0));
await Promise.all([import('../modules/slow.mjs').then(() => events.push('slow')), import('../modules/common.cjs').then(() => events.push('common')), import('data:text/javascript,export default Date.now()').then(({ default: now }) => events.push(typeof now)), import('../modules/missing.mjs').catch(({ code }) => events.push(code)), timer]);
console.log(events);
if (module.registerHooks) {
  const hooks = module.registerHooks({
    resolve: (specifier, context, next) => (specifier === 'virtual:clock' ? { url: 'virtual:clock', format: 'module', shortCircuit: true } : next(specifier, context)),
    load: (url, context, next) => (url === 'virtual:clock' ? { format: 'module', source: `export const now = ${Date.now()}; export const drawn = Math.random();`, shortCircuit: true } : next(url, context)),
  });
  console.log({ ...(await import('virtual:clock')) });
  hooks.deregister();
  await import('virtual:other').catch(({ code }) => console.log(code));
}
console.log(isBuiltin('node:fs'), builtinModules.includes('fs'), process.getBuiltinModule('node:path').sep, process.getBuiltinModule('node:test')?.name, findSourceMap('none'), typeof module.constants, module.stripTypeScriptTypes?.('let a: number = 1', { mode: 'strip' }));
console.log(new Function('return [typeof require, Date.now() > 0]')(), (0, eval)('typeof Date.now()'), require.resolve('../modules/common.cjs').endsWith('common.cjs'), require('node:module') === module);
console.log(module.getCompileCacheDir?.(), module.enableCompileCache?.length);
