// WebAssembly modules: one reads a file and standard input, prints, writes a file and ends with a code; another one ends the process.
import { WASI } from 'node:wasi';
import { readFileSync } from 'node:fs';
import { assemble, vector } from './assemble.mjs';
const imports = { path_open: 'iiiiiIIii', fd_read: 'iiii', fd_write: 'iiii', fd_close: 'i', random_get: 'ii', clock_time_get: 'iIi', proc_exit: 'iv' };
const READ = 0x3fn;
const WRITE = 0x40n;
const code = assemble({
  imports,
  data: { 1024: 'words.txt', 1040: 'copy.txt', 1056: vector(4096, 64), 1064: vector(8192, 64), 1072: vector(12_288, 14), 12_288: 'all is printed' },
  calls: [
    ['path_open', 3, 0, 1024, 9, 0, READ, READ, 0, 1100],
    ['fd_read', { at: 1100 }, 1056, 1, 1104],
    ['fd_read', 0, 1064, 1, 1108],
    ['path_open', 3, 0, 1040, 8, 9, WRITE, WRITE, 0, 1112],
    ['fd_write', { at: 1112 }, 1056, 1, 1116],
    ['fd_close', { at: 1112 }],
    ['fd_write', 1, 1072, 1, 1120],
    // Addresses above the memory, which have a sign in JavaScript.
    ['random_get', -16, 8],
    ['fd_write', 1, -16, 1, 1120],
    ['clock_time_get', 0, 1n, -8],
    ['proc_exit', 3],
  ],
});
const { module } = await WebAssembly.instantiate(code, Object.fromEntries([['wasi_snapshot_preview1', Object.fromEntries(Object.keys(imports).map((name) => [name, () => 0]))]])).then(({ module }) => ({ module }));
const wasi = new WASI({ version: 'preview1', preopens: { '/': '.' } });
const instance = new WebAssembly.Instance(module, wasi.getImportObject());
try { console.log(wasi.wasiImport.fd_close(7)); } catch ({ code, message, stack }) { console.log(code, message, stack.split('\n').length); }
console.log('ends with', wasi.start(instance));
const memory = Buffer.from(instance.exports.memory.buffer);
console.log(Array.from({ length: 10 }, (_, index) => memory.readUInt32LE(4 * index)), String(memory.subarray(4096, 4096 + memory.readUInt32LE(1104))), String(memory.subarray(8192, 8192 + memory.readUInt32LE(1108))));
console.log(readFileSync('copy.txt', 'latin1').length, memory.readUInt32LE(1116));
try { wasi.start(instance); } catch ({ code, message }) { console.log(code, message); }
// No handler of exit runs, and nothing after it.
process.on('exit', () => console.log('never printed'));
const last = new WASI({ version: 'preview1', returnOnExit: false });
const ending = assemble({ imports: { fd_write: 'iiii', proc_exit: 'iv' }, data: { 64: vector(128, 12), 128: 'last words.\n' }, calls: [['fd_write', 1, 64, 1, 80], ['proc_exit', 5]] });
last.start(new WebAssembly.Instance(new WebAssembly.Module(ending), last.getImportObject()));
console.log('never printed either');
