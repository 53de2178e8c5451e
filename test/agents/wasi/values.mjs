// Clocks, randomness, arguments, variables, waiting, standard streams, a signal: what WASI tells beside files.
import { writeFileSync, openSync, closeSync, readFileSync } from 'node:fs';
import { instance } from './instance.mjs';
const { wasi, memory, call, bytes, put, at, u32, u64, vectors } = instance({ args: ['program', 'ünd', 'c'], env: { NAME: 'value', LIST: 'a=b', absent: undefined } });
for (const clock of [0, 1, 2, 3, 9]) console.log('clock', clock, call.clock_time_get(clock, 1000n, 16), u64(16), call.clock_res_get(clock, 24), u64(24));
console.log('random', call.random_get(64, 16), at(64, 16).toString('hex'), call.random_get(bytes().length - 4, 8), call.random_get(1_000_000, 1_500_000), at(1_000_000, 1_500_000).reduce((sum, byte) => sum + byte, 0));
console.log('arguments', call.args_sizes_get(16, 20), u32(16), u32(20), call.args_get(64, 128), u32(68) - 128, JSON.stringify(String(at(128, u32(20)))));
console.log('variables', call.environ_sizes_get(16, 20), u32(16), u32(20), call.environ_get(64, 128), JSON.stringify(String(at(128, u32(20)))));
console.log('yields', call.sched_yield());
const subscribe = (index, userdata, type, rest) => { const place = 2048 + 48 * index; bytes().fill(0, place, place + 48); bytes().writeBigUInt64LE(userdata, place); bytes()[place + 8] = type; rest(place); };
subscribe(0, 7n, 0, (place) => { bytes().writeUInt32LE(1, place + 16); bytes().writeBigUInt64LE(20_000_000n, place + 24); });
const before = performance.now();
console.log('waited', call.poll_oneoff(2048, 4096, 1, 16), u32(16), at(4096, 32).toString('hex'), performance.now() - before > 15);
subscribe(1, 8n, 2, (place) => bytes().writeUInt32LE(1, place + 16));
console.log('ready', call.poll_oneoff(2048, 4096, 2, 16), u32(16), at(4096, 64).toString('hex'), call.poll_oneoff(2048, 4096, 0, 16));
const write = (fd, ...parts) => [call.fd_write(fd, ...vectors(128, parts.map((part, index) => put(10_000 + 1000 * index, part))), 24), u32(24)];
console.log(write(1, 'printed by ', 'WASI\n'), write(2, 'an error of WASI\n'), write(0, 'x'), write(1));
const read = (length) => [call.fd_read(0, ...vectors(128, [[2048, length]]), 24), u32(24), String(at(2048, u32(24)))];
console.log('stdin', read(6), read(100), read(100));
for (const fd of [0, 1, 2]) console.log('standard', fd, call.fd_fdstat_get(fd, 64), at(64, 24).toString('hex'));
// Standard streams that are files of the program's own.
const [input, output] = [(writeFileSync('input.txt', 'from a file'), openSync('input.txt', 'r')), openSync('output.txt', 'w')];
const other = instance({ version: 'unstable', stdin: input, stdout: output });
console.log(Object.keys(other.wasi.getImportObject()), other.call.fd_read(0, ...other.vectors(128, [[2048, 100]]), 24), String(other.at(2048, other.u32(24))), other.call.fd_write(1, ...other.vectors(128, [other.put(4096, 'into a file')]), 24));
closeSync(input);
closeSync(output);
console.log(readFileSync('output.txt', 'utf8'));
// What the runtime refuses before it does anything.
console.log(call.fd_close(), call.fd_close('1'), call.fd_close(-1), call.fd_close(1, 2), call.fd_seek(1, 2, 3, 4), call.random_get(1.5, 2), call.fd_read(0, bytes().length - 4, 1, 24), call.fd_read(0, ...vectors(128, [[bytes().length - 4, 100]]), 24), call.fd_write(1, ...vectors(128, [put(4096, 'lost')]), bytes().length));
try { new wasi.constructor({ version: 'preview1' }).wasiImport.fd_close(1); } catch ({ code, message }) { console.log(code, message); }
for (const options of [{ version: 'other' }, { version: 'preview1', args: 'text' }, { version: 'preview1', preopens: 7 }, { version: 'preview1', stdout: -1 }, { version: 'preview1', returnOnExit: 1 }, undefined, null]) try { new wasi.constructor(options); } catch ({ code, message }) { console.log(code, message); }
memory.grow(1);
console.log('grown', call.random_get(bytes().length - 8, 8), at(bytes().length - 8, 8).toString('hex'));
process.on('SIGTERM', () => console.log('got SIGTERM'));
console.log('raised', call.proc_raise(15), call.proc_raise(99));
setTimeout(() => console.log('later'), 5);
