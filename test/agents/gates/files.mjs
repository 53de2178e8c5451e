import { readFile } from 'node:fs/promises';
console.log(await readFile('notes.txt', 'utf8'));
