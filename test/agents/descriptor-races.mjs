// Standard output written later (as pino does with sync: false) and at once in turn: who came first is what was called first.
import fs from 'node:fs';
import { promisify } from 'node:util';
const later = (text) => new Promise((resolve) => fs.write(1, text, (error, written) => resolve([error, written])));
const results = [];
for (let round = 0; round < 20; round++) {
  const waiting = [later(`later ${round}\n`), later(`later still ${round}\n`)];
  console.log('at once', round);
  fs.writeSync(1, `by descriptor ${round}\n`);
  waiting.push(promisify(fs.write)(1, Buffer.from(`bytes ${round}\n`)).then(({ bytesWritten }) => bytesWritten), promisify(fs.writev)(1, [Buffer.from('two '), Buffer.from(`parts ${round}\n`)]).then(({ bytesWritten }) => bytesWritten));
  process.stdout.write(`written ${round}\n`);
  if (round % 3 === 0) results.push(...await Promise.all(waiting));
  else waiting.forEach((promise) => promise.then((result) => results.push(result)));
}
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(results.length, JSON.stringify(results.slice(0, 4)));
