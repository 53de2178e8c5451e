// Each call of WASI once, all in one order.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
rmSync('box', { recursive: true, force: true });
mkdirSync('box/inner', { recursive: true });
writeFileSync('box/notes.txt', 'some notes');
const memory = new WebAssembly.Memory({ initial: 1 });
const wasi = new WASI({ version: 'preview1', preopens: { '/box': 'box' } });
wasi.initialize({ exports: { memory } });
const bytes = Buffer.from(memory.buffer);
const put = (at, text) => [at, bytes.write(text, at)];
const vector = (at, length) => { bytes.writeUInt32LE(at, 96); bytes.writeUInt32LE(length, 100); return [96, 1]; };
const RIGHTS = 0xfffffffn;
const notes = () => put(1024, 'notes.txt');
const calls = {
  clock_res_get: [0, 16], clock_time_get: [0, 1n, 16], random_get: [200, 8], fd_prestat_get: [3, 16], fd_prestat_dir_name: [3, 64, 4],
  path_open: [3, 0, ...notes(), 0, RIGHTS, RIGHTS, 0, 16], fd_advise: [4, 0n, 1n, 0], fd_allocate: [4, 0n, 20n], fd_fdstat_get: [4, 64], fd_fdstat_set_flags: [4, 0], fd_filestat_get: [4, 64], fd_filestat_set_size: [4, 5n],
  fd_filestat_set_times: [4, 1n, 1n, 5], fd_seek: [4, 1n, 0, 16], fd_tell: [4, 16], fd_sync: [4], fd_datasync: [4], fd_fdstat_set_rights: [4, RIGHTS & 0x1fffffn, 0n],
  path_filestat_get: [3, 0, ...notes(), 64], path_filestat_set_times: [3, 0, ...notes(), 1n, 1n, 5], path_create_directory: [3, ...put(1100, 'made')], path_link: [3, 0, ...notes(), 3, ...put(1110, 'twice')], path_symlink: [...notes(), 3, ...put(1120, 'soft')],
  path_readlink: [3, ...put(1120, 'soft'), 2048, 64, 16], path_rename: [3, ...put(1110, 'twice'), 3, ...put(1130, 'moved')], path_unlink_file: [3, ...put(1130, 'moved')], path_remove_directory: [3, ...put(1100, 'made')], fd_readdir: [3, 4096, 1000, 0n, 16],
};
const lines = [];
const tell = (name, ...args) => lines.push([name, wasi.wasiImport[name](...args), bytes.subarray(16, 32).toString('hex')].join(' '));
for (const [name, args] of Object.entries(calls)) tell(name, ...args);
tell('fd_read', 4, ...vector(2048, 10), 16);
tell('fd_pread', 4, ...vector(2048, 10), 0n, 16);
tell('fd_write', 4, ...vector(...put(3000, 'hello')), 16);
tell('fd_pwrite', 4, ...vector(...put(3000, 'hello')), 1n, 16);
tell('sock_recv', 4, ...vector(2048, 10), 0, 16, 20);
bytes.fill(0, 5000, 5100);
bytes.writeUInt32LE(1, 5016);
tell('poll_oneoff', 5000, 6000, 1, 16);
tell('fd_renumber', 4, 5);
tell('fd_close', 5);
console.log(lines.join('\n'));
