// One call of the file system by name; all of them without a name.
import fs from 'node:fs';

const attempt = (call) => { try { return call(); } catch ({ code }) { return code; } };
const opened = (name, flags, use) => { const fd = fs.openSync(name, flags); try { return use(fd); } finally { fs.closeSync(fd); } };
const calls = {
  open: () => fs.openSync('bytes.bin', 'r') > 0,
  openFileHandle: async () => { const handle = await fs.promises.open('bytes.bin'); await handle.close(); return 'opened'; },
  close: () => opened('notes.txt', 'r', () => 'closed'),
  access: () => fs.accessSync('bytes.bin') ?? 'accessible',
  existsSync: () => fs.existsSync('bytes.bin'),
  stat: () => fs.statSync('notes.txt').size,
  lstat: () => fs.lstatSync('link').isSymbolicLink(),
  fstat: () => opened('notes.txt', 'r', (fd) => fs.fstatSync(fd).size),
  statfs: () => fs.statfsSync('.').bfree,
  readdir: () => fs.readdirSync('folder'),
  readdirRecursive: () => fs.readdirSync('folder', { recursive: true }),
  realpath: () => fs.realpathSync.native('link'),
  readlink: () => fs.readlinkSync('link'),
  internalModuleStat: () => fs.readdirSync('folder', { recursive: true }),
  readFileUtf8: () => fs.readFileSync('notes.txt', 'utf8'),
  read: () => opened('notes.txt', 'r', (fd) => { const bytes = Buffer.alloc(5); return [fs.readSync(fd, bytes), String(bytes)]; }),
  readBuffers: () => opened('notes.txt', 'r', (fd) => { const bytes = [Buffer.alloc(3), Buffer.alloc(3)]; return [fs.readvSync(fd, bytes), bytes.join()]; }),
  fsync: () => opened('notes.txt', 'r+', (fd) => fs.fsyncSync(fd) ?? 'flushed'),
  fdatasync: () => opened('notes.txt', 'r+', (fd) => fs.fdatasyncSync(fd) ?? 'flushed'),
  ftruncate: () => opened('notes.txt', 'r+', (fd) => fs.ftruncateSync(fd, 3) ?? 'cut'),
  rename: () => fs.renameSync('bytes.bin', 'renamed') ?? 'renamed',
  rmdir: () => fs.rmdirSync('folder/sub') ?? 'removed',
  rmSync: () => fs.rmSync('bytes.bin') ?? 'removed',
  unlink: () => fs.unlinkSync('bytes.bin') ?? 'removed',
  mkdir: () => fs.mkdirSync('folder/made') ?? 'made',
  mkdtemp: () => fs.mkdtempSync('temporary-'),
  link: () => fs.linkSync('bytes.bin', 'second') ?? 'linked',
  symlink: () => fs.symlinkSync('bytes.bin', 'folder/symbolic') ?? 'linked',
  copyFile: () => fs.copyFileSync('bytes.bin', 'copy') ?? 'copied',
  cpSyncCheckPaths: () => fs.cpSync('bytes.bin', 'copy2') ?? 'copied',
  cpSyncOverrideFile: () => fs.cpSync('bytes.bin', 'copy3') ?? 'copied',
  cpSyncCopyDir: () => fs.cpSync('folder', 'copy4', { recursive: true }) ?? 'copied',
  chmod: () => fs.chmodSync('bytes.bin', 0o600) ?? 'changed',
  fchmod: () => opened('notes.txt', 'r+', (fd) => fs.fchmodSync(fd, 0o600) ?? 'changed'),
  chown: () => fs.chownSync('bytes.bin', process.getuid(), process.getgid()) ?? 'changed',
  fchown: () => opened('notes.txt', 'r+', (fd) => fs.fchownSync(fd, process.getuid(), process.getgid()) ?? 'changed'),
  lchown: () => fs.lchownSync('link', process.getuid(), process.getgid()) ?? 'changed',
  utimes: () => fs.utimesSync('bytes.bin', 1, 1) ?? 'changed',
  futimes: () => opened('notes.txt', 'r+', (fd) => fs.futimesSync(fd, 1, 1) ?? 'changed'),
  lutimes: () => fs.lutimesSync('link', 1, 1) ?? 'changed',
  writeBuffer: () => opened('written', 'w', (fd) => fs.writeSync(fd, Buffer.from('bytes'))),
  writeBuffers: () => opened('written', 'w', (fd) => fs.writevSync(fd, [Buffer.from('bytes'), Buffer.from('more')])),
  writeString: () => opened('written', 'w', (fd) => fs.writeSync(fd, 'text')),
  writeFileUtf8: () => fs.writeFileSync('folder/whole', 'text') ?? 'written',
};
// Those that take something away come last.
const order = Object.keys(calls).filter((name) => !['rename', 'rmSync', 'unlink', 'rmdir'].includes(name));
for (const name of process.argv[2] ? [process.argv[2]] : order) {
  console.log(name, await Promise.resolve(attempt(calls[name] ?? (() => 'no such call'))).catch(({ code }) => code));
}
