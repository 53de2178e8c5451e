import { opendir } from 'node:fs/promises';
for await (const { name } of await opendir('folder')) console.log(name);
