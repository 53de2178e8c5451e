import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
console.log((await promisify(gzip)('abc'.repeat(1000))).length);
