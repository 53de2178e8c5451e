// Files read by callback, promise and at once; whole and in pieces; text and bytes.
import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
console.log(fs.readFileSync('notes.txt', 'utf8'), fs.readFileSync('bytes.bin').toString('hex').slice(0, 20), await readFile('notes.txt', 'utf8'));
const order = [];
await Promise.all([
  readFile('notes.txt').then((bytes) => order.push(bytes.length)),
  readFile('large.txt', { encoding: 'utf8' }).then((text) => order.push(text.length)),
  new Promise((resolve) => fs.readFile('large.txt', (_, bytes) => resolve(order.push(bytes.subarray(0, 4).toString())))),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)),
  fetch(`${process.env.SERVER_URL}/json?d=3`).then(() => order.push('network')),
]);
console.log(order, JSON.parse(await readFile(new URL('file://' + process.cwd() + '/data.json'))), await promisify(fs.readFile)('data.json', 'latin1'));
for (const options of [{ encoding: 'utf8' }, { start: 5, end: 14, encoding: 'utf8' }, { highWaterMark: 30_000 }]) {
  const sizes = [];
  for await (const chunk of fs.createReadStream('large.txt', options)) sizes.push(chunk.length);
  console.log(sizes);
}
const stream = fs.createReadStream('large.txt');
stream.once('open', (fd) => console.log(typeof fd)).once('data', () => stream.destroy()).once('close', () => console.log('closed', stream.bytesRead));
await new Promise((resolve) => stream.once('close', resolve));
const fd = fs.openSync('notes.txt');
const buffer = Buffer.alloc(5);
console.log(fs.readSync(fd, buffer, 0, 5, 2), buffer.toString(), fs.readSync(fd, buffer), fs.fstatSync(fd).size, fs.closeSync(fd));
console.log(await new Promise((resolve) => fs.open('notes.txt', 'r', (_, opened) => fs.read(opened, buffer, 0, 4, 0, (__, count) => fs.close(opened, () => resolve([count, buffer.toString('utf8', 0, count)]))))));
