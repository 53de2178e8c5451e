// Bytes into and out of children: large ones, through several, by further descriptors, and to readers that are slow.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { openSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const digest = async (stream) => {
  const hash = createHash('sha256');
  let chunks = 0;
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    chunks++;
    bytes += chunk.length;
  }
  return [chunks, bytes, hash.digest('hex')].join(' ');
};

const large = randomBytes(300_000);
const cat = spawn('sh', ['-c', 'echo x >> started; cat']);
cat.stdin.end(large);
console.log(await digest(cat.stdout), createHash('sha256').update(large).digest('hex'));

const [from, to] = [spawn('sh', ['-c', 'echo x >> started; seq 1 40000']), spawn('sort', ['-rn'])];
const [, sorted] = await Promise.all([pipeline(from.stdout, to.stdin), digest(to.stdout)]);
console.log(sorted);

const more = spawn('sh', ['-c', 'echo x >> started; read word <&3; echo "fourth $word" >&4; echo "third $word" >&3; echo late'], { stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe'] });
more.stdio[3].write('given\n');
for (const fd of [1, 3, 4]) more.stdio[fd].setEncoding('utf8').on('data', (text) => console.log(fd, text)).on('end', () => console.log(fd, 'end'));
console.log(await new Promise((resolve) => more.on('close', (...args) => resolve(args))));

const slow = spawn('sh', ['-c', 'echo x >> started; seq 1 20000']);
await new Promise((resolve) => setTimeout(resolve, 20));
slow.stdout.pause();
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(await digest(slow.stdout));

const fd = openSync(process.argv[1], 'r');
const given = spawn('sh', ['-c', 'echo x >> started; head -c 20; echo heard >&2'], { stdio: [fd, 'pipe', 'pipe'] });
console.log(given.stdin, await digest(given.stdout), await digest(given.stderr));
const deaf = spawn('sh', ['-c', 'echo x >> started; exec 0<&-; echo deaf; sleep 0.05']);
const closed = new Promise((resolve) => deaf.on('close', (...args) => resolve(args)));
deaf.stdin.on('error', ({ code, syscall }) => console.log(code, syscall));
await new Promise((resolve) => deaf.stdout.once('data', resolve));
deaf.stdin.write('nobody reads', (error) => console.log(error?.code));
console.log(await closed, deaf.stdin.destroyed);
