// Errors of file reads: every field of them, and their stack where they have one.
import fs from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
const show = (where) => (error) => console.log(where, error.constructor.name, error.code, error.message, error.errno, error.syscall, error.path, error.stack.split('\n').length, error);
for (const call of [() => fs.readFileSync('absent.txt'), () => fs.readFileSync('absent.txt', 'utf8'), () => fs.readFileSync('folder'), () => fs.statSync('absent.txt'), () => fs.openSync('absent/x'), () => fs.readdirSync('notes.txt'), () => fs.accessSync('absent.txt'), () => fs.readlinkSync('notes.txt'), () => fs.readSync(999, Buffer.alloc(1))]) {
  try { console.log('no error', call()); } catch (error) { show('sync')(error); }
}
await readFile('absent.txt').catch(show('promise'));
await readFile('folder', 'utf8').catch(show('promise'));
await stat('absent.txt').catch(show('promise'));
await readdir('absent').catch(show('promise'));
await open('absent').catch(show('promise'));
await readFile('notes.txt', { signal: AbortSignal.abort() }).catch((error) => console.log(error.name, error.code));
await new Promise((resolve) => fs.readFile('absent.txt', (error) => resolve(show('callback')(error))));
await new Promise((resolve) => fs.stat('absent.txt', (error) => resolve(show('callback')(error))));
await new Promise((resolve) => fs.createReadStream('absent.txt').on('error', (error) => resolve(show('stream')(error))));
try { fs.readFileSync(3.7); } catch (error) { console.log(error.code, error.message); }
