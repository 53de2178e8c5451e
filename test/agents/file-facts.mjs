// Stats, existence, folders, links, FileHandles.
import fs from 'node:fs';
import { access, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
const times = ({ size, mtimeMs, mtime, mode, ino }) => ({ size, mtimeMs, mtime: mtime.toISOString(), mode, ino });
console.log(times(fs.statSync('notes.txt')), times(await stat('notes.txt')), (await stat('notes.txt', { bigint: true })).mtimeNs, (await lstat('link')).isSymbolicLink());
console.log(fs.statSync('absent', { throwIfNoEntry: false }), fs.existsSync('notes.txt'), fs.existsSync('absent'), await access('notes.txt'), fs.accessSync('folder'));
console.log(fs.readdirSync('folder'), await readdir('folder'), (await readdir('.', { withFileTypes: true })).filter(({ name }) => !name.startsWith('.')).map((entry) => [entry.name, entry.isDirectory(), entry.isSymbolicLink()]));
console.log((await readdir('folder', { recursive: true })).sort(), fs.readdirSync('folder', { withFileTypes: true }).map(({ name, parentPath }) => [name, parentPath]));
console.log(fs.readlinkSync('link'), await readlink('link'), fs.realpathSync('link'), await realpath('link'), fs.realpathSync.native('link'));
const handle = await open('notes.txt');
console.log(typeof handle.fd, (await handle.stat()).size, (await handle.read(Buffer.alloc(5), 0, 5, 0)).buffer.toString(), await handle.readFile('utf8'));
await handle.close();
for await (const line of (await open('large.txt')).readLines()) { console.log(line.length); break; }
await using_(await open('data.json'));
async function using_(file) { console.log((await file.readv([Buffer.alloc(3), Buffer.alloc(4)], 0)).bytesRead, await file.close(), file.fd); }
fs.stat('folder', (_, stats) => fs.exists('absent', (found) => fs.readdir('folder', (__, names) => console.log(stats.isDirectory(), found, names))));
console.log(fs.statfsSync('.').bsize > 0, new Set(fs.readdirSync('folder', { recursive: true })).size);
