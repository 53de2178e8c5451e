// Files read whole, in every way that is one job on some versions of Node and several calls on others.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { open, readFile } from 'node:fs/promises';

const digest = (bytes) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
const refused = ({ code, syscall, path, message }) => `${code} ${syscall} ${path} ${message}`;
console.log(await readFile('notes.txt', 'utf8'), digest(await readFile('bytes.bin')), digest(await readFile('megabytes.bin')), digest(await readFile('empty.txt')));
console.log(await Promise.all(['notes.txt', 'bytes.bin', 'notes.txt', 'large.txt'].map(async (name) => digest(await readFile(name)))));
console.log(await readFile('absent.txt').catch(refused), await readFile('folder').catch(({ code, syscall }) => `${code} ${syscall}`));
console.log(await new Promise((resolve) => fs.readFile('large.txt', (error, bytes) => resolve(error ?? digest(bytes)))), await new Promise((resolve) => fs.readFile('absent.txt', (error) => resolve(refused(error)))));
const handle = await open('notes.txt');
console.log(digest(await handle.readFile()), (await handle.stat()).size);
await handle.close();
console.log(digest(await readFile('notes.txt')));
