import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
console.log((await promisify(randomBytes)(8)).toString('hex'));
