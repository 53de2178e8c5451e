// Files written whole, in every way that is one job on some versions of Node and several calls on others.
import fs from 'node:fs';
import { appendFile, open, readFile, writeFile } from 'node:fs/promises';

const refused = ({ code, syscall, path, message }) => `${code} ${syscall} ${path} ${message}`;
const byCallback = (...args) => new Promise((resolve) => fs.writeFile(...args, (error) => resolve(error ? refused(error) : 'written')));
await writeFile('written-text.txt', 'né ü 漢字');
await writeFile('written-bytes.bin', Buffer.alloc(3_000_001, 'abc'));
await writeFile('written-empty.txt', '');
await appendFile('written-text.txt', ' and more');
await writeFile('written-flushed.txt', 'with a mode', { mode: 0o600, flush: true });
console.log(await writeFile('written-text.txt', 'once more', { flag: 'wx' }).catch(refused), await writeFile('absent/written.txt', 'nowhere').catch(refused));
console.log(await Promise.all([byCallback('written-callback.txt', 'latin1 é', 'latin1'), byCallback('written-appended.txt', new Uint16Array([1, 2]), { flag: 'a' }), byCallback('absent/written.txt', 'nowhere')]));
const handle = await open('written-opened.txt', 'w');
await handle.writeFile('by a handle');
await handle.close();
await Promise.all(['a', 'b', 'c'].map((name) => writeFile('written-by-three.txt', name.repeat(9))));
console.log(await readFile('written-text.txt', 'utf8'), (await readFile('written-callback.txt')).length);
