// Everything that WASI can do to files below two preopened folders; no time or number of the disk is printed.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { CREATE, FOLDER, instance, RIGHTS, TRUNCATE } from './instance.mjs';
rmSync('sandbox', { recursive: true, force: true });
mkdirSync('sandbox/inner', { recursive: true });
writeFileSync('sandbox/notes.txt', 'first line\nzweite Zeile: ü, 漢字\n');
writeFileSync('sandbox/large.bin', Buffer.alloc(3_000_000, 'some text, and more. '));
symlinkSync('notes.txt', 'sandbox/link');
mkdirSync('sandbox/second');

const { call, put, at, u32, u64, vectors } = instance({ preopens: { '/sandbox': 'sandbox', '/second': 'sandbox/second' } });
const open = (path, how = 0, rights = RIGHTS, flags = 0, folder = 3) => [call.path_open(folder, 1, ...put(1024, path), how, rights, rights, flags, 8), u32(8)];
const type = (from) => [at(from + 16, 1)[0], u64(from + 32)];
for (const fd of [3, 4, 5]) console.log('prestat', fd, call.fd_prestat_get(fd, 16), u32(16), call.fd_prestat_dir_name(fd, 64, u32(20)), String(at(64, u32(20))));
console.log('too short', call.fd_prestat_dir_name(3, 64, 1));
const [error, fd] = open('notes.txt');
console.log('opened', error, fd);
console.log('read', call.fd_read(fd, ...vectors(128, [[2048, 5], [3000, 0], [4096, 100]]), 24), u32(24), String(at(2048, 5)), String(at(4096, u32(24) - 5)));
console.log('at the end', call.fd_read(fd, ...vectors(128, [[2048, 5]]), 24), u32(24));
console.log('seek', call.fd_seek(fd, -5n, 2, 32), u64(32), call.fd_tell(fd, 40), u64(40), call.fd_seek(fd, -500n, 0, 32));
console.log('pread', call.fd_pread(fd, ...vectors(128, [[2048, 10]]), 6n, 24), String(at(2048, u32(24))));
console.log('facts', call.fd_fdstat_get(fd, 64), at(64, 24).toString('hex'), call.fd_filestat_get(fd, 200), type(200), call.path_filestat_get(3, 0, ...put(1024, 'link'), 200), type(200), call.path_filestat_get(3, 1, ...put(1024, 'link'), 200), type(200));
console.log('fails', open('absent'), open('../../etc/hostname'), open('notes.txt', 0, RIGHTS, 0, 99), call.fd_read(77, ...vectors(128, [[2048, 5]]), 24), call.path_filestat_get(3, 0, ...put(1024, 'nothing'), 200));
console.log('readlink', call.path_readlink(3, ...put(1024, 'link'), 2048, 64, 24), String(at(2048, u32(24))), call.path_readlink(3, ...put(1024, 'notes.txt'), 2048, 64, 24));
// Larger than one piece, into two places of which the second is not filled.
const large = open('large.bin')[1];
console.log('large', call.fd_read(large, ...vectors(128, [[1_000_000, 1_500_000], [2_600_000, 2_000_000]]), 24), u32(24), createHash('sha256').update(at(1_000_000, 1_500_000)).update(at(2_600_000, 2_000_000)).digest('hex'));
console.log('renumber', call.fd_renumber(large, fd), call.fd_tell(fd, 40), u64(40), call.fd_tell(large, 40), call.fd_close(fd), call.fd_close(fd));
// Written, cut, synced, told about, moved and removed.
const [, out] = open('out.txt', CREATE | TRUNCATE);
const written = (...parts) => vectors(128, parts.map((part, index) => put(10_000 + 1000 * index, part)));
console.log('write', call.fd_write(out, ...written('hello ', '', 'wörld'), 24), u32(24), call.fd_pwrite(out, ...written('J'), 0n, 24), u32(24), call.fd_allocate(out, 0n, 20n), call.fd_filestat_set_size(out, 12n));
console.log('then', call.fd_advise(out, 0n, 10n, 1), call.fd_datasync(out), call.fd_sync(out), call.fd_filestat_set_times(out, 5_000_000_000n, 7_000_000_000n, 5), call.fd_fdstat_set_flags(out, 0), call.fd_fdstat_set_rights(out, 0x20006en, 0n));
console.log('read back', call.fd_pread(out, ...vectors(128, [[2048, 100]]), 0n, 24), String(at(2048, u32(24))), call.fd_close(out));
const [, adds] = open('out.txt', 0, RIGHTS, 1);
console.log('append', call.fd_write(adds, ...written('and more'), 24), call.fd_close(adds), call.path_filestat_get(3, 0, ...put(1024, 'out.txt'), 200), type(200), call.path_filestat_set_times(3, 0, ...put(1024, 'out.txt'), 1_000_000_000n, 2_000_000_000n, 5), call.path_filestat_get(3, 0, ...put(1024, 'out.txt'), 200), u64(248));
const two = (one, other) => [put(1024, one), put(1536, other)];
const names = (operation, [one, other], folder = 3) => operation === 'link' ? call.path_link(3, 0, ...one, folder, ...other) : operation === 'rename' ? call.path_rename(3, ...one, folder, ...other) : call.path_symlink(...one, folder, ...other);
console.log('names', call.path_create_directory(3, ...put(1024, 'made')), call.path_create_directory(3, ...put(1024, 'made')), names('rename', two('out.txt', 'moved.txt'), 4), names('link', two('notes.txt', 'made/twice.txt')), names('symlink', two('twice.txt', 'made/soft')), names('rename', two('absent', 'x')));
const list = (folder, size, from = 0n) => { const failed = call.fd_readdir(folder, 20_000, size, from, 24); const entries = []; for (let place = 20_000; place + 24 <= 20_000 + u32(24); place += 24 + u32(place + 16)) entries.push([String(at(place + 24, u32(place + 16))), at(place + 20, 1)[0]]); return [failed, u32(24), entries.sort()]; };
const [, made] = open('made', FOLDER, 0x4000n);
console.log('list', list(3, 1000), list(4, 1000), list(made, 1000), list(made, 30).slice(0, 2), list(fd, 100)[0]);
console.log('removed', call.path_remove_directory(3, ...put(1024, 'made')), call.path_unlink_file(3, ...put(1024, 'made/twice.txt')), call.path_unlink_file(3, ...put(1024, 'made/soft')), call.path_remove_directory(3, ...put(1024, 'made')), call.path_unlink_file(3, ...put(1024, 'made')));
// What it has written is the program's own code.
const [, code] = open('code.cjs', CREATE);
call.fd_write(code, ...written('module.exports = "old code";'), 24);
call.fd_seek(code, 18n, 0, 32);
console.log('code', call.fd_write(code, ...written('new'), 24), call.fd_close(code), createRequire(`${process.cwd()}/`)('./sandbox/code.cjs'));
// Folders that are not there, and descriptors that are none.
for (const options of [{ preopens: { '/x': 'nowhere' } }, { preopens: { '/x': 'sandbox/notes.txt' } }, { stdin: 99 }]) try { instance(options); } catch ({ name, message, code, errno, syscall, stack }) { console.log(name, message, code, errno, syscall, stack.split('\n').slice(0, 3).map((line) => line.replace(/\(.*[\\/]/, '('))); }
