// Files and folders that are watched: by event, by promise, by polling, with all below; closed, aborted, absent.
import fs from 'node:fs';
import { watch, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
const seen = [];
fs.mkdirSync('watched/sub', { recursive: true });
const watcher = fs.watch('watched', (event, name) => seen.push(`${event} ${name}`));
await writeFile('watched/a.txt', 'a');
while (!seen.some((line) => line.endsWith('a.txt'))) await once(watcher, 'change');
watcher.close();
await once(watcher, 'close');
console.log(seen);
const controller = new AbortController();
setTimeout(() => fs.writeFileSync('watched/b.txt', 'b'), 10);
try {
  for await (const change of watch('watched', { signal: controller.signal })) {
    console.log(change);
    controller.abort();
  }
} catch (error) { console.log(error.name, error.code); }
const deep = fs.watch('watched', { recursive: true, encoding: 'utf8' });
setTimeout(() => fs.writeFileSync('watched/sub/c.txt', 'c'), 30);
console.log(await once(deep, 'change'));
deep.close();
fs.writeFileSync('polled.txt', 'before');
const polled = fs.watchFile('polled.txt', { interval: 20, bigint: true }, (now, before) => { fs.unwatchFile('polled.txt'); polled.emit('told', [now.size, before.size, now.mtimeMs > 0n]); });
setTimeout(() => fs.writeFileSync('polled.txt', 'afterwards'), 60);
console.log(await once(polled, 'told'));
const absent = fs.watchFile('not there yet', { interval: 20 }, (now, before) => console.log('absent', now.mtimeMs, before.mtimeMs, fs.unwatchFile('not there yet')));
await once(absent, 'stop');
try { fs.watch('absent'); } catch (error) { console.log(error.code, error.errno, error.syscall, error.path, error.filename, error.message); }
try { for await (const change of watch('absent')) console.log(change); } catch (error) { console.log(error.code, error.syscall); }
const unref = fs.watch('watched', { persistent: false }).unref();
console.log(unref.constructor.name, 'ends though it is watched');
