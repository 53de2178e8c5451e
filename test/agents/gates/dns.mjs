import { lookup } from 'node:dns/promises';
console.log(await lookup('localhost'));
