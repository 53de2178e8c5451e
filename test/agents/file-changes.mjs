// Folders made, files moved, copied, linked, removed; rights, owners and times; and what goes wrong with each.
import fs from 'node:fs';
import { chmod, chown, copyFile, cp, lchown, link, lstat, lutimes, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, rmdir, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const listed = (folder) => console.log(folder, fs.readdirSync(folder, { recursive: true }).sort());
const failure = (error) => [error.constructor.name, error.code, error.errno, error.syscall, error.path, error.dest, error.message, Object.keys(error)];
const attempt = (run) => { try { console.log('no error', run()); } catch (error) { console.log(...failure(error)); } };

console.log(fs.mkdirSync('made/deep/er', { recursive: true }), fs.mkdirSync('made/deep', { recursive: true }), await mkdir('made/other', { recursive: true, mode: 0o700 }), await promisify(fs.mkdir)('made/third'));
console.log(fs.mkdtempSync('temp-').length, (await mkdtemp('temp-')).startsWith('temp-'), await promisify(fs.mkdtemp)(`${process.cwd()}/temp-`, 'utf8').then((path) => fs.existsSync(path)));
fs.writeFileSync('made/a.txt', 'a file');
fs.copyFileSync('made/a.txt', 'made/b.txt');
await copyFile('made/a.txt', 'made/c.txt', fs.constants.COPYFILE_EXCL);
await promisify(fs.copyFile)('made/a.txt', 'made/d.txt');
fs.renameSync('made/b.txt', 'made/deep/b.txt');
await rename('made/c.txt', 'made/deep/c.txt');
await promisify(fs.rename)('made/other', 'made/renamed');
fs.linkSync('made/a.txt', 'made/hard.txt');
await link('made/a.txt', 'made/hard2.txt');
fs.symlinkSync('a.txt', 'made/soft.txt');
await symlink('deep', 'made/softfolder', 'dir');
await promisify(fs.symlink)('nowhere', 'made/dangling');
console.log(fs.readlinkSync('made/soft.txt'), await readlink('made/softfolder'), fs.existsSync('made/dangling'), (await lstat('made/dangling')).isSymbolicLink(), fs.realpathSync('made/soft.txt') === `${process.cwd()}/made/a.txt`);
fs.chmodSync('made/a.txt', 0o604);
await chmod('made/d.txt', '600');
await promisify(fs.chmod)('made/d.txt', 0o640);
fs.utimesSync('made/a.txt', 1, new Date(2000));
await utimes('made/d.txt', '3', 4.5);
await lutimes('made/soft.txt', 5, 6);
fs.lutimesSync('made/dangling', 7, 8);
const { uid, gid } = fs.statSync('made/a.txt');
fs.chownSync('made/a.txt', uid, gid);
await chown('made/a.txt', uid, gid);
await lchown('made/soft.txt', uid, gid);
fs.lchownSync('made/soft.txt', uid, gid);
for (const name of ['a.txt', 'd.txt', 'soft.txt', 'dangling']) { const { mode, mtimeMs, nlink, size } = fs.lstatSync(`made/${name}`); console.log(name, (mode & 0o777).toString(8), mtimeMs, nlink, size); }
listed('made');
fs.cpSync('made', 'copied', { recursive: true, preserveTimestamps: true });
await cp('made', 'copied2', { recursive: true, filter: (source) => !source.endsWith('hard2.txt') });
await cp('made/deep', 'copied3/deep', { recursive: true });
await promisify(fs.cp)('made/a.txt', 'copied3/a.txt');
fs.cpSync('made/d.txt', 'copied3/a.txt');
await cp('made/deep', 'copied3', { recursive: true, errorOnExist: false });
for (const folder of ['copied', 'copied2', 'copied3']) listed(folder);
console.log(fs.readFileSync('copied/soft.txt', 'utf8'), fs.readFileSync('copied3/a.txt', 'utf8'), fs.statSync('copied/a.txt').mtimeMs);
fs.unlinkSync('made/hard.txt');
await unlink('made/hard2.txt');
await promisify(fs.unlink)('made/dangling');
await rmdir('made/third');
fs.rmdirSync('made/renamed');
fs.rmSync('copied', { recursive: true });
await rm('copied2', { recursive: true, force: true });
await promisify(fs.rm)('copied3/a.txt');
fs.rmSync('absent', { force: true });
listed('made');
console.log(fs.existsSync('copied'), fs.existsSync('copied2'), await readdir('copied3'), await readFile('made/hard2.txt').catch(({ code }) => code));

for (const run of [
  () => fs.mkdirSync('made'), () => fs.mkdirSync('absent/x'), () => fs.rmdirSync('made'), () => fs.rmSync('absent'), () => fs.rmSync('made'), () => fs.unlinkSync('absent'), () => fs.renameSync('absent', 'x'),
  () => fs.copyFileSync('absent', 'x'), () => fs.copyFileSync('made/a.txt', 'made/d.txt', 1), () => fs.symlinkSync('x', 'made/a.txt'), () => fs.linkSync('absent', 'x'), () => fs.chmodSync('absent', 0o600),
  () => fs.utimesSync('absent', 1, 1), () => fs.writeFileSync('absent/x', 'text'), () => fs.writeFileSync('made', Buffer.from('x')), () => fs.appendFileSync('made', 'x'), () => fs.openSync('made/a.txt', 'wx'),
  () => fs.writeSync(999, 'x'), () => fs.writeSync(999, Buffer.from('x')), () => fs.writevSync(999, [Buffer.from('x')]), () => fs.ftruncateSync(999), () => fs.truncateSync('absent'), () => fs.mkdtempSync('absent/x-'),
  () => fs.cpSync('absent', 'x'), () => fs.cpSync('made', 'x'), () => fs.fsyncSync(999), () => fs.mkdirSync(3), () => fs.writeFileSync('x', {}), () => fs.renameSync('x\0y', 'z'), () => fs.writeSync(fs.openSync('made/a.txt', 'r'), 'x'),
]) attempt(run);
for (const run of [
  () => mkdir('made'), () => rmdir('absent'), () => rm('absent'), () => unlink('absent'), () => rename('absent', 'x'), () => copyFile('absent', 'x'), () => symlink('x', 'made/a.txt'),
  () => link('absent', 'x'), () => chmod('absent', 0), () => utimes('absent', 1, 1), () => writeFile('absent/x', 'text'), () => writeFile('made', 'x'),
  () => mkdtemp('absent/x-'), () => cp('absent', 'x'), () => cp('made', 'x'), () => writeFile('x', 'y', { flag: 'r' }), () => mkdir('x\0y'),
]) await run().then((value) => console.log('no error', value), (error) => console.log(...failure(error)));
for (const [name, ...args] of [['mkdir', 'made'], ['writeFile', 'absent/x', 'text'], ['appendFile', 'made', 'x'], ['rename', 'absent', 'x'], ['write', 999, 'x'], ['rm', 'absent'], ['open', 'made', 'w'], ['truncate', 'absent', 1]]) {
  await new Promise((resolve) => fs[name](...args, (error) => resolve(console.log(name, ...failure(error), error.stack.split('\n').length))));
}
await new Promise((resolve) => fs.createWriteStream('absent/x').on('error', (error) => resolve(console.log('stream', ...failure(error)))));
