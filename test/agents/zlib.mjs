// Compression off the thread, by callback, promise and stream, in races; decoded responses.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
const order = [];
const input = Buffer.from(Array.from({ length: 20_000 }, (_, i) => i * 7));
const jobs = [zlib.gzip, zlib.deflate, zlib.brotliCompress, zlib.deflateRaw].map((job, i) => promisify(job)(input.subarray(0, 5000 * (i + 1))).then((out) => order.push(`${i} ${out.length}`)));
await Promise.all([...jobs, new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)), fetch(`${process.env.SERVER_URL}/json?d=2`).then(() => order.push('network'))]);
console.log(order, zlib.gunzipSync(zlib.gzipSync('sync')).toString(), (await promisify(zlib.unzip)(zlib.gzipSync('unzipped'))).toString());
for (const encoding of ['gzip', 'deflate', 'br']) console.log(encoding, (await (await fetch(`${process.env.SERVER_URL}/encoded?as=${encoding}`)).json()).id);
console.log(await text(Readable.from(['a', 'b'.repeat(100_000)]).pipe(zlib.createGzip()).pipe(zlib.createGunzip()).setEncoding('latin1')).then((whole) => whole.length));
const compressed = new Blob(['web streams']).stream().pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'));
console.log(await new Response(compressed).text());
await promisify(zlib.gunzip)(Buffer.from('not gzip')).catch((error) => console.log(error.code, error.errno, error.message));
