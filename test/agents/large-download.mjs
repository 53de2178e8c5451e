// More than one segment of the journal: 70 MB are downloaded and hashed.
import { createHash } from 'node:crypto';
const hash = createHash('sha256');
let bytes = 0;
for await (const chunk of (await fetch(`${process.env.SERVER_URL}/large?bytes=70000000`)).body) {
  hash.update(chunk);
  bytes += chunk.length;
}
console.log(bytes, hash.digest('hex'));
