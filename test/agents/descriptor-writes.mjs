// Standard output as loggers use it: whole texts and pieces by descriptor, flushed at once, later and by promise; a failed write.
import fs from 'node:fs';
import { promisify } from 'node:util';
const attempt = (what, run) => {
  try { console.log(what, run()); } catch (error) { console.log(what, error.code, error.syscall, error.errno, error.message, Object.keys(error), error.stack.replace(/\S*agents/, '')); }
};
fs.writeFileSync(1, 'a whole text ✓\n');
fs.writeFileSync(2, 'to standard error\n', { encoding: 'utf8' });
fs.writeFileSync(1, Buffer.from('bytes\n'));
fs.appendFileSync(1, 'appended\n');
fs.appendFileSync(1, Buffer.from('appended bytes\n'));
await promisify(fs.writeFile)(1, 'later\n');
await promisify(fs.appendFile)(2, 'later, appended\n');
for (const fd of [0, 1, 2]) for (const name of ['fsyncSync', 'fdatasyncSync']) attempt(`${name} ${fd}`, () => fs[name](fd));
for (const fd of [0, 1, 2]) for (const name of ['fsync', 'fdatasync']) console.log(name, fd, await new Promise((resolve) => fs[name](fd, (...results) => resolve(results))));
// As sonic-boom does it: pieces one after the other, then a flush.
await new Promise((resolve) => fs.write(1, '{"level":30,"msg":"hello"}\n', 'utf8', (error, written) => {
  console.error(error, written);
  fs.fsync(1, (failed) => resolve(console.error('flushed', failed?.code)));
}));
attempt('flush option', () => fs.writeFileSync(2, 'flushed\n', { flush: false }));
fs.closeSync(2);
attempt('closed', () => fs.writeFileSync(2, 'nowhere\n'));
attempt('closed', () => fs.fsyncSync(2));
// From here on it is a file.
console.log(fs.openSync('redirected.txt', 'w'), fs.writeSync(2, 'into the file\n'), fs.readFileSync('redirected.txt', 'utf8'));
