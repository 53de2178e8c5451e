// sharp on pictures in memory: made, scaled, turned, told about; several at once, one that is none.
import sharp from 'sharp';
import { createHash } from 'node:crypto';
const order = [];
const short = (bytes) => createHash('sha1').update(bytes).digest('hex').slice(0, 12);
const plain = await sharp({ create: { width: 64, height: 48, channels: 3, background: { r: 200, g: 80, b: 10 } } }).png().toBuffer();
console.log(short(plain), await sharp(plain).metadata().then(({ format, width, height, channels }) => ({ format, width, height, channels })));
await Promise.all([
  ...[10, 40, 25].map(async (width) => order.push(`scaled ${width} ${short(await sharp(plain).resize(width).png().toBuffer())}`)),
  sharp(plain).rotate(90).raw().toBuffer({ resolveWithObject: true }).then(({ info }) => order.push(`turned ${info.width}x${info.height}`)),
  sharp(plain).stats().then(({ channels }) => order.push(`mean ${channels.map(({ mean }) => Math.round(mean))}`)),
  sharp(Buffer.from('no picture')).toBuffer().catch(({ message }) => order.push(message)),
  new Promise((resolve) => sharp(plain).greyscale().png().toBuffer((error, bytes) => resolve(order.push(`callback ${error} ${short(bytes)}`)))),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)),
  fetch(`${process.env.SERVER_URL}/json?d=2`).then(({ status }) => order.push(status)),
]);
console.log(order, typeof sharp.versions.vips, Date.now());
