// Prints the same whenever it runs, and takes a second or two: reads, waits, draws, and keeps long texts.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const rounds = Number(process.argv[2]);
let drawn = 0;
for (let round = 0; round < rounds; round++) {
  drawn += Math.random() < 2 ? 1 : 0;
  const text = await readFile(process.argv[1], 'utf8');
  if (round % 16 === 0) await sleep(3);
  console.log(`${round} ${drawn} ${text.length} ${'a long line '.repeat(round % 9)}`);
}
process.exitCode = 3;
