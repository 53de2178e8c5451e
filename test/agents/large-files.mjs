// A large file written, copied and hashed through streams; read whole, in one piece and as text.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
const MEGABYTES = Number(process.argv[2] ?? 40);
const block = Buffer.alloc(1024 * 1024, 'a line of text, sixty-four characters with its end of line......\n');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
await pipeline(Readable.from((function* () { for (let i = 0; i < MEGABYTES; i++) { block.writeUInt32LE(i % 128, 0); yield Buffer.from(block); } })()), fs.createWriteStream('large.bin'));
await pipeline(fs.createReadStream('large.bin'), fs.createWriteStream('copy.bin'));
await copyFile('copy.bin', 'copied.bin');
const hash = createHash('sha256');
await pipeline(fs.createReadStream('copied.bin'), hash);
console.log(hash.digest('hex').slice(0, 16), fs.statSync('copy.bin').size);
console.log(sha256(fs.readFileSync('large.bin')), sha256(await readFile('copy.bin')));
const text = fs.readFileSync('copied.bin', 'utf8');
console.log(text.length, sha256(text.slice(-2_000_000)), sha256(fs.readFileSync('large.bin', 'latin1')));
