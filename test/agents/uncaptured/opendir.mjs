import { opendir } from 'node:fs/promises';
console.log('before');
for await (const entry of await opendir('/etc').catch(() => console.log('caught') ?? [])) console.log(entry.name);
