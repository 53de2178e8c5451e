// Everything that a program can reach from its globals and from the modules of the runtime: kinds, names, lengths, texts, properties, prototypes.
import { builtinModules, createRequire } from 'node:module';
import { inspect, types } from 'node:util';
import { createHash } from 'node:crypto';
import 'node:https';
const require = createRequire(import.meta.url);
const { stringify } = JSON;
const seen = new Map();
const lines = [];
// What docs/replay.md names.
const PROXIES = ['Worker', 'BroadcastChannel', 'WASI'];
const text = Function.prototype.toString;
function show(v) {
  if (typeof v === 'function') {
    let s; try { s = text.call(v); } catch (e) { s = e.message; }
    return `function ${stringify(v.name)} ${v.length} ${createHash('sha1').update(s).digest('hex').slice(0, 8)} ${s.slice(0,40).replace(/\n/g,'⏎')} proxy=${!PROXIES.includes(v.name) && types.isProxy(v)}`;
  }
  if (typeof v === 'object' && v) return `object ${Object.prototype.toString.call(v)} proxy=${types.isProxy(v)}`;
  return typeof v;
}
// What docs/replay.md names: an accessor, one prototype more, a proxy.
const KNOWN = new Set(['globalThis.Error.prepareStackTrace', 'process.[[P]].[[P]]']);
function walk(path, v, depth) {
  if ((typeof v !== 'object' && typeof v !== 'function') || v === null) return;
  if (seen.has(v)) { lines.push(`${path} = ${seen.get(v)}`); return; }
  seen.set(v, path);
  let head = `${path}: ${show(v)} ext=${Object.isExtensible(v)}`;
  if (typeof v === 'function' && !PROXIES.includes(v.name)) { let i; try { i = inspect(v, { depth: 0 }); } catch (e) { i = e.message; } head += ' ' + createHash('sha1').update(i.replace(/\d+/g,'N')).digest('hex').slice(0,6); }
  const keys = Reflect.ownKeys(v);
  const proto = Object.getPrototypeOf(v);
  lines.push(`${head} keys=${keys.map(String).sort().join()}`);
  if (depth <= 0) return;
  if (ArrayBuffer.isView(v) || v instanceof ArrayBuffer) return;
  if (!KNOWN.has(`${path}.[[P]]`)) walk(`${path}.[[P]]`, proto, depth - 1);
  for (const k of keys) {
    const d = Object.getOwnPropertyDescriptor(v, k);
    const p = `${path}.${String(k)}`;
    if (KNOWN.has(p)) continue;
    if (!d) { lines.push(p + ' none'); continue; }
    lines.push(`${p} ${'value' in d ? 'v ' + typeof d.value + ' w' + +d.writable : 'a ' + typeof d.get + typeof d.set} e${+d.enumerable} c${+d.configurable}`);
    if ('value' in d) walk(p, d.value, depth - 1);
    else { if (d.get) walk(p + '<get>', d.get, depth - 1); if (d.set) walk(p + '<set>', d.set, depth - 1); }
  }
}
seen.set(process.env, 'ENV'); seen.set(process.argv, 'ARGV'); seen.set(process.execArgv, 'EA');seen.set(process.moduleLoadList, 'MLL');
seen.set(require.cache,'CACHE'); const M=require('module'); seen.set(M._pathCache,'PC');  seen.set(M.globalPaths,'GP');if(process.report)seen.set(process.report,'REP');
for (const k of Reflect.ownKeys(globalThis)) { try { void globalThis[k]; } catch {} }
const mods = []; for (const name of new Set([...builtinModules, 'node:sqlite'])) { if (/^_|trace|sys$|punycode|domain/.test(name)) continue; try { mods.push([name, require(name), await import(name)]); } catch (e) { lines.push(name + ' ' + e.code); } }
fetch('data:,').catch(()=>{});
for (const [, m] of mods) for (const k of Reflect.ownKeys(m)) { try { void m[k]; } catch {} }
seen.set(Symbol,'Symbol');
walk('globalThis', globalThis, 12);
for (const [name, m, ns] of mods) { walk(name, m, 12); lines.push(name + ' ns ' + Object.keys(ns).join()); for (const k of Object.keys(ns)) if (ns[k] !== (k === 'default' ? m : m[k]) && ns[k]===ns[k]) lines.push(`${name} ns ${k} differs`); }
// One line for each part: `LINES` shows what is in it.
const parts = new Map();
for (const line of lines) { const part = line.split(/[.:\s]/, 2).join('.'); parts.set(part, [...(parts.get(part) ?? []), line]); }
for (const [part, own] of [...parts].sort(([one], [other]) => (one < other ? -1 : 1))) console.log(part, own.length, createHash('sha1').update(own.sort().join('\n')).digest('hex'));
if (process.env.LINES) console.log(lines.join('\n'));
