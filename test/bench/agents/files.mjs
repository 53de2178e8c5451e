// Files of 4 KB that an agent writes and reads whole, one after the other: BENCH_CALLS of each, by promise and synchronously.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

const COUNT = Number(process.env.BENCH_CALLS);
const content = 'a line of 32 characters, with: ü\n'.repeat(124);
const digest = createHash('sha256');
const figures = {};
let ok = 0;

async function measure(name, once) {
  const before = process.cpuUsage();
  for (let call = 0; call < COUNT; call++) {
    digest.update(await once(`file-${call % 10}.txt`));
    ok++;
  }
  const { user, system } = process.cpuUsage(before);
  figures[name] = user + system;
}

await measure('written by promise', async (file) => (await writeFile(file, content), file));
await measure('read by promise', (file) => readFile(file));
await measure('written synchronously', (file) => (writeFileSync(file, content), file));
await measure('read synchronously', (file) => readFileSync(file));
console.log(`answers ${ok}/${4 * COUNT} ${digest.digest('hex').slice(0, 16)}`);
console.log(JSON.stringify(figures));
