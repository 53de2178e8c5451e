// Files written by callback, promise, FileHandle, stream and at once; in pieces, at positions, appended, cut; read back each time.
import fs from 'node:fs';
import { appendFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const shown = (name) => console.log(name, JSON.stringify(fs.readFileSync(name, 'latin1')), fs.statSync(name).size);
fs.writeFileSync('sync.txt', 'ein Text: ü, 漢字\n');
fs.writeFileSync('sync.txt', Buffer.from('more, as bytes\n'), { flag: 'a' });
fs.appendFileSync('sync.txt', 'appended\n', { encoding: 'utf16le' });
fs.appendFileSync('sync.txt', new Uint16Array([0x4142, 0x4344]));
shown('sync.txt');
await writeFile('promise.txt', 'first');
await writeFile(new URL(`file://${process.cwd()}/promise.txt`), new Uint8Array([104, 105]), { mode: 0o600 });
await appendFile('promise.txt', ' and more', { flush: true });
await writeFile(Buffer.from('bytes ü.txt'), (async function* () { yield 'from '; yield 'an iterable'; })());
await writeFile('stream.txt', Readable.from(['a', 'stream']));
await writeFile('base64.bin', 'aGVsbG8=', 'base64');
for (const name of ['promise.txt', 'bytes ü.txt', 'stream.txt', 'base64.bin']) shown(name);
await new Promise((resolve) => fs.writeFile('callback.txt', 'called back\n', (error) => resolve(console.log('written', error))));
await new Promise((resolve) => fs.appendFile('callback.txt', Buffer.from('twice\n'), (error) => resolve(console.log('appended', error))));
await promisify(fs.writeFile)('callback.txt', 'thrice\n', { flag: 'a', encoding: 'latin1' });
shown('callback.txt');
await writeFile('aborted.txt', 'never', { signal: AbortSignal.abort() }).catch((error) => console.log(error.name, fs.existsSync('aborted.txt')));

const fd = fs.openSync('pieces.txt', 'w+');
console.log(fs.writeSync(fd, '0123456789'), fs.writeSync(fd, Buffer.from('xyz'), 1, 2, 4), fs.writeSync(fd, 'AB', 0), fs.writevSync(fd, [Buffer.from('cd'), Buffer.from('ef')], 8), fs.writeSync(fd, new DataView(new ArrayBuffer(2))));
console.log(await promisify(fs.write)(fd, 'late', 2), await promisify(fs.writev)(fd, [Buffer.from('!'), Buffer.from('?')]));
fs.ftruncateSync(fd, 9);
fs.fsyncSync(fd);
fs.fdatasyncSync(fd);
const read = Buffer.alloc(20);
console.log(fs.readSync(fd, read, 0, 20, 0), read.toString('latin1').replaceAll('\0', '.'), fs.fstatSync(fd).size);
await promisify(fs.ftruncate)(fd);
await promisify(fs.fsync)(fd);
await promisify(fs.close)(fd);
shown('pieces.txt');

const file = await open('handle.txt', 'w+');
console.log((await file.write('one two three')).bytesWritten, (await file.write(Buffer.from('TWO'), { position: 4 })).bytesWritten, (await file.writev([Buffer.from(' four'), Buffer.from(' five')], 13)).bytesWritten);
await file.truncate(18);
await file.sync();
await file.datasync();
await file.utimes(1, 2);
await file.chmod(0o640);
const stats = await file.stat({ bigint: true });
console.log(stats.size, stats.mtimeNs, (stats.mode & 0o777n).toString(8), (await file.read({ buffer: Buffer.alloc(7), position: 0 })).buffer.toString());
await file.writeFile(' written', 'utf8');
await file.appendFile(' appended');
await file.close();
shown('handle.txt');
await (async () => { const held = await open('disposed.txt', 'a'); try { await held.appendFile('x'); } finally { await held[Symbol.asyncDispose](); } })();
const again = await open('handle.txt');
for await (const line of again.readLines()) console.log('line', line);
const web = await open('handle.txt');
let bytes = 0;
for await (const chunk of web.readableWebStream()) bytes += chunk.byteLength;
await web.close();
console.log('web', bytes);

const stream = fs.createWriteStream('streamed.txt');
for (let i = 0; i < 5; i++) stream.write(`piece ${i}\n`);
await new Promise((resolve) => stream.end('end\n', resolve));
console.log(stream.bytesWritten, stream.path, stream.pending);
shown('streamed.txt');
await pipeline(fs.createReadStream('streamed.txt', { highWaterMark: 7 }), async function* (source) { for await (const chunk of source) yield chunk.toString().toUpperCase(); }, fs.createWriteStream('upper.txt', { flags: 'w', start: 3 }));
shown('upper.txt');
const handled = await open('handled.txt', 'w');
await pipeline(Readable.from(['through ', 'a handle']), handled.createWriteStream());
await truncate('handled.txt', 9);
fs.truncateSync('upper.txt', 5);
shown('handled.txt');
shown('upper.txt');
const order = [];
await Promise.all([
  ...['a', 'b', 'c'].map((name) => writeFile(`${name}.txt`, name.repeat(10_000)).then(() => order.push(name))),
  readFile('sync.txt').then(() => order.push('read')),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)),
  fetch(`${process.env.SERVER_URL}/json?d=2`).then(() => order.push('network')),
]);
console.log(order.length, order);
