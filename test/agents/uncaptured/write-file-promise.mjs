import { appendFile } from 'node:fs/promises';
console.log('before');
await appendFile('touched', 'appended').catch(() => console.log('caught'));
console.log('after');
