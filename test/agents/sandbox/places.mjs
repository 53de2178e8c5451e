// Says where it is, by itself, by a module beside it and by a package above it.
import { createRequire } from 'node:module';
import { where } from './lib/where.mjs';
console.log(import.meta.url, process.argv[1], process.cwd(), where);
console.log(createRequire(import.meta.url).resolve('neighbour'), new Error('here').stack.split('\n')[1]);
