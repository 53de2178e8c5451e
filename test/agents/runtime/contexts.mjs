// Other realms: clock, chance, formats, references, modules and memory figures of vm contexts; run with --expose-gc --experimental-vm-modules.
import vm from 'node:vm';
const context = vm.createContext({ console, setTimeout, queueMicrotask });
console.log(vm.runInContext('[Date.now(), new Date().getTime(), Math.random(), Date(), new Intl.DateTimeFormat("en", { minute: "numeric", second: "numeric", fractionalSecondDigits: 3 }).format(), new Intl.DateTimeFormat("en", { second: "numeric", fractionalSecondDigits: 3 }).formatToParts().length]', context));
console.log(vm.runInContext('typeof Temporal === "undefined" ? "" : [String(Temporal.Now.instant()), Temporal.Now.plainTimeISO().nanosecond]', context));
vm.runInContext('setTimeout(() => console.log("a timer", Date.now()), 2); queueMicrotask(() => console.log("a job"))', context);
vm.runInContext(`
  globalThis.registry = new FinalizationRegistry((held) => console.log('finalized', held));
  globalThis.ref = (() => { const target = { big: new Array(1000) }; registry.register(target, 'in the context'); return new WeakRef(target); })();
`, context);
console.log(vm.runInContext('typeof ref.deref()', context));
const collected = vm.runInContext('(async (gc, sleep) => { for (let i = 0; i < 50 && ref.deref(); i++) { await sleep(); gc(); } return typeof ref.deref(); })', context);
console.log(await collected(gc, () => new Promise((resolve) => setTimeout(resolve, 2))));
await new Promise((resolve) => setTimeout(resolve, 10));
const wasm = '0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11';
const order = [];
await Promise.all([
  vm.runInContext(`WebAssembly.instantiate(Uint8Array.from([${wasm}])).then(({ instance }) => instance.exports.f())`, context).then((value) => order.push(value)),
  vm.runInContext(`WebAssembly.compile(Uint8Array.from([${wasm}]))`, context).then(() => order.push('compiled')),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)),
  vm.measureMemory({ mode: 'summary', execution: 'eager' }).then((figures) => order.push(JSON.stringify(figures)), ({ code }) => order.push(code)),
]);
console.log(order);
const module = new vm.SourceTextModule('import { name } from "given"; import * as self from "here"; export const at = Date.now(); export default [name, at, import.meta.label, await Promise.resolve(Math.random())]', { context, identifier: 'a module', initializeImportMeta: (meta) => { meta.label = 'labelled'; }, importModuleDynamically: () => {} });
await module.link(async (specifier) => {
  const made = new vm.SyntheticModule(['name'], function () { this.setExport('name', specifier); }, { context });
  return made;
});
await module.evaluate();
console.log(module.status, module.namespace.default, Object.keys(module.namespace));
const dynamic = new vm.Script('import("elsewhere").then((space) => space.value)', { importModuleDynamically: async (specifier) => { const made = new vm.SyntheticModule(['value'], function () { this.setExport('value', `${specifier} ${Date.now()}`); }); await made.link(() => {}); await made.evaluate(); return made; } });
console.log(await dynamic.runInThisContext());
const here = new vm.Script('import("node:os")', { importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER });
console.log(typeof (await here.runInThisContext()).hostname());
console.log(vm.runInNewContext('let at; Promise.resolve().then(() => { at = Date.now(); done(at); }); at', { done: (at) => console.log(at) }, { microtaskMode: 'afterEvaluate' }), vm.runInNewContext('new Date(5).getTime()'));
if (vm.constants?.DONT_CONTEXTIFY) { const bare = vm.createContext(vm.constants.DONT_CONTEXTIFY); console.log(vm.runInContext('[Date.now(), Math.random(), Object.isFrozen(globalThis)]', bare), bare.Date === vm.runInContext('Date', bare)); }
try { vm.runInContext('for (;;);', context, { timeout: 5 }); } catch ({ code }) { console.log(code); }
