import { watch } from 'node:fs';
import { writeFileSync } from 'node:fs';
const watcher = watch('folder', (event, name) => { console.log(event, name); watcher.close(); });
writeFileSync('folder/new.txt', '');
