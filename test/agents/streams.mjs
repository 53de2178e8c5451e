// Streams of both kinds, fed by the network and by timers: pipeline, tee, clone, pipeTo, events.on.
import { EventEmitter, on } from 'node:events';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
const server = process.env.SERVER_URL;
const slow = new Transform({ transform: (chunk, _, done) => setTimeout(() => done(null, String(chunk).toUpperCase()), 1) });
await pipeline(Readable.from(['a', 'b', 'c']), slow, async function* (source) { for await (const chunk of source) { console.log(String(chunk)); yield chunk; } }, new PassThrough().resume());
await (await fetch(`${server}/sse?n=3`)).body.pipeTo(new WritableStream({ write: (chunk) => new Promise((resolve) => setTimeout(resolve, 1, console.log('written', chunk.length))) }));
const [left, right] = (await fetch(`${server}/sse?n=3`)).body.tee();
console.log((await new Response(left).text()).length, (await new Response(right).text()).length);
const response = await fetch(`${server}/json`);
const copy = response.clone();
console.log((await response.json()).id === (await copy.json()).id);
const emitter = new EventEmitter();
for (const ms of [2, 4, 6]) setTimeout(() => emitter.emit('tick', ms), ms);
const controller = new AbortController();
setTimeout(() => controller.abort(), 12);
try { for await (const [ms] of on(emitter, 'tick', { signal: controller.signal })) console.log(ms); } catch ({ name }) { console.log(name); }
for await (const chunk of Readable.fromWeb((await fetch(`${server}/sse?n=2`)).body)) console.log(chunk.length);
