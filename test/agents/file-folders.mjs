// Folders read entry by entry: at once, by callback, promise and iteration; in small steps, as bytes, with all below; used wrongly.
import fs from 'node:fs';
import { opendir } from 'node:fs/promises';
const entry = (dirent) => dirent && [dirent.name, dirent.parentPath, dirent.isFile(), dirent.isDirectory(), dirent.isSymbolicLink()];
const sorted = (entries) => entries.map(entry).sort((a, b) => (`${a[1]}/${a[0]}` < `${b[1]}/${b[0]}` ? -1 : 1));
const all = async (dir) => { const entries = []; for await (const dirent of dir) entries.push(dirent); return entries; };

const dir = fs.opendirSync('folder');
console.log(dir.constructor === fs.Dir, dir.path, entry(dir.readSync()), entry(dir.readSync()), dir.readSync(), dir.readSync(), dir.closeSync());
try { dir.readSync(); } catch (error) { console.log(error.code, error.message); }
console.log(sorted(await all(await opendir('folder'))), sorted(await all(await opendir('folder', { bufferSize: 1 }))), sorted(await all(fs.opendirSync('.', { recursive: true }))).filter(([name]) => !name.startsWith('.') && !['config', 'node_modules'].includes(name)).length > 3);
console.log(sorted(await all(await opendir('folder', { recursive: true }))), sorted(await all(fs.opendirSync(new URL(`file://${process.cwd()}/folder`), { recursive: true }))));
console.log((await all(await opendir('folder', { encoding: 'buffer' }))).map(({ name }) => name.toString()).sort(), (await all(await opendir(Buffer.from('folder'), 'latin1'))).length);
await new Promise((resolve) => fs.opendir('folder', (error, opened) => opened.read((_, dirent) => {
  console.log(error, entry(dirent).length);
  opened.close((closed) => resolve(console.log('closed', closed)));
})));
const order = [];
const opened = await opendir('folder');
await Promise.all([opened.read().then(() => order.push('first')), opened.read().then(() => order.push('second')), opened.read().then((last) => order.push(last)), Promise.resolve().then(() => order.push('microtask'))]);
await opened.close();
console.log(order);
await opened.close().catch((error) => console.log(error.code));
for await (const dirent of await opendir('folder')) { console.log('stopped at', entry(dirent).length); break; }
for (const run of [() => fs.opendirSync('absent'), () => fs.opendirSync('notes.txt'), () => fs.opendirSync(3), () => fs.opendir('folder'), () => fs.opendir(3, () => {}), () => fs.opendirSync('folder', { bufferSize: 0 })]) {
  try { console.log('no error', run()); } catch (error) { console.log(error.constructor.name, error.code, error.errno, error.syscall, error.path, error.message); }
}
await opendir('absent').catch((error) => console.log(error.code, error.errno, error.syscall, error.path, error.message, error.stack.split('\n').length));
await opendir(3).catch((error) => console.log(error.code));
await new Promise((resolve) => fs.opendir('notes.txt', (error, none) => resolve(console.log(error.code, none))));
if (fs.globSync) console.log(fs.globSync('folder/**').sort());
