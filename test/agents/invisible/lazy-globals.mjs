// Globals that the runtime defines when they are first read.
// What of undici the runtime defines at a first look is set aside, and so are those that connect (docs/replay.md).
const kinds = () => Reflect.ownKeys(globalThis).filter((key) => !/undici|WebSocket|EventSource/.test(String(key))).map((key) => { const d = Object.getOwnPropertyDescriptor(globalThis, key); return `${String(key)}:${'value' in d ? 'v' : 'a'}${+d.enumerable}${+d.configurable}${d.get ? d.get.name + d.get.length : ''}`; }).join('\n');
console.log(kinds());
void globalThis.Response; console.log(kinds());
await fetch('data:,x').then((r) => r.text()).then(console.log);
console.log(kinds());
console.log(new Headers({ a: 'b' }), Symbol.for('undici.globalDispatcher.1') in globalThis, AbortSignal.abort().aborted, typeof MessageChannel);
console.log(kinds());
