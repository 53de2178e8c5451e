import { openAsBlob } from 'node:fs';
console.log(await (await openAsBlob('notes.txt')).text());
