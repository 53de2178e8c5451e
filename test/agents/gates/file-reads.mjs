// One way to read a file, by name; all of them without a name.
import fs from 'node:fs';

const whole = (name) => { const opened = fs.openSync(name, 'r'); const bytes = Buffer.alloc(5); const read = fs.readSync(opened, bytes); fs.closeSync(opened); return [read, String(bytes)]; };
const attempt = (call) => { try { return call(); } catch ({ code }) { return code; } };
const reads = {
  open: () => fs.openSync('bytes.bin', 'r') > 0,
  openFileHandle: async () => { const handle = await fs.promises.open('bytes.bin'); await handle.close(); return 'opened'; },
  close: () => { const opened = fs.openSync('notes.txt', 'r'); fs.closeSync(opened); return 'closed'; },
  access: () => fs.accessSync('bytes.bin') ?? 'accessible',
  existsSync: () => fs.existsSync('bytes.bin'),
  stat: () => fs.statSync('notes.txt').size,
  lstat: () => fs.lstatSync('link').isSymbolicLink(),
  fstat: () => { const opened = fs.openSync('notes.txt', 'r'); const { size } = fs.fstatSync(opened); fs.closeSync(opened); return size; },
  statfs: () => fs.statfsSync('.').bfree,
  readdir: () => fs.readdirSync('folder'),
  readdirRecursive: () => fs.readdirSync('folder', { recursive: true }),
  realpath: () => fs.realpathSync.native('link'),
  readlink: () => fs.readlinkSync('link'),
  internalModuleStat: () => fs.readdirSync('folder', { recursive: true }),
  readFileUtf8: () => fs.readFileSync('notes.txt', 'utf8'),
  read: () => whole('notes.txt'),
  readBuffers: () => { const opened = fs.openSync('notes.txt', 'r'); const bytes = [Buffer.alloc(3), Buffer.alloc(3)]; const read = fs.readvSync(opened, bytes); fs.closeSync(opened); return [read, bytes.join()]; },
};
for (const name of process.argv[2] ? [process.argv[2]] : Object.keys(reads)) {
  console.log(name, await Promise.resolve(attempt(reads[name])).catch(({ code }) => code));
}
