// What bundlers meet in an agent: an SDK, named imports of built-ins, a namespace, a dynamic import, timers, JSON.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as os from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import OpenAI from 'openai';

async function main() {
  const began = performance.now();
  const client = new OpenAI({ apiKey: 'sk-test-0000', baseURL: `${process.env.MODEL_URL}/v1`, maxRetries: 8 });
  const stream = await client.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my order A-1042?' }], stream: true });
  for await (const { choices: [choice] } of stream) process.stdout.write(choice?.delta.content ?? '|');
  console.log();
  const both = await Promise.all([1, 2].map((i) => fetch(`${process.env.SERVER_URL}/json?d=20&i=${i}`).then((answer) => answer.json())));
  console.log(both.map(({ id }) => id), randomUUID(), randomBytes(4).toString('hex'), Math.random());
  await Promise.race([sleep(3), new Promise((resolve) => setImmediate(resolve))]);
  console.log(createHash('sha256').update(readFileSync(process.argv[1])).digest('hex').length, os.hostname().length > 0);
  console.log(String(await promisify(gunzip)(await promisify(gzip)('compressed'))));
  const { request } = await import('node:http');
  await new Promise((resolve, reject) => request(`${process.env.SERVER_URL}/json`, (answer) => answer.resume().on('end', resolve)).on('error', reject).end());
  console.log(new Date().toISOString(), performance.now() - began > 0);
}

main();
