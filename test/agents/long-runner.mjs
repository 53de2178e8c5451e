// Goes on for long, with something of everything in each round and a line at its end. Tests kill it.
import { readFile } from 'node:fs/promises';
const server = process.env.SERVER_URL;
for (let i = 0; i < 400; i++) {
  const [{ id }] = await Promise.all([
    fetch(`${server}/json?d=4`, { method: 'POST', body: `round ${i}` }).then((response) => response.json()),
    new Promise((resolve) => setTimeout(resolve, i % 5)),
    readFile(process.argv[1]),
  ]);
  console.log(`${i} ${id} ${Date.now()} ${Math.random()} ${crypto.randomUUID()}`);
}
