// A large file written and copied through streams, and by the system; says how much memory it took (megabytes) on stderr.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
const MEGABYTES = Number(process.argv[2] ?? 40);
const block = Buffer.alloc(1024 * 1024, 'a line of text, sixty-four characters with its end of line......\n');
await pipeline(Readable.from((function* () { for (let i = 0; i < MEGABYTES; i++) yield block; })()), fs.createWriteStream('large.bin'));
await pipeline(fs.createReadStream('large.bin'), fs.createWriteStream('copy.bin'));
await copyFile('copy.bin', 'copied.bin');
const hash = createHash('sha256');
for await (const chunk of fs.createReadStream('copied.bin')) hash.update(chunk);
console.log(hash.digest('hex'));
console.error('peak', Math.round(process.resourceUsage().maxRSS / 1024));
