// Side effects on files: one line is added to a log, a temporary file is removed, and the log is read back and printed.
import fs from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
fs.writeFileSync('tmp.txt', 'scratch');
await new Promise((resolve, reject) => fs.appendFile('audit.log', 'refund issued\n', (error) => (error ? reject(error) : resolve())));
await rm('tmp.txt');
console.log(fs.existsSync('tmp.txt'), await readFile('audit.log', 'utf8'));
