// Changes the world in five ways, and reads one of them back.
import { execFile } from 'node:child_process';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const mail = await fetch(`${process.env.SERVER_URL}/send-mail`, { method: 'POST', body: JSON.stringify({ to: 'ana@example.com' }) });
console.log(mail.status, await mail.json());
const client = new pg.Client();
await client.connect();
console.log((await client.query('INSERT INTO tickets (title) VALUES ($1) RETURNING id, made', ['refund'])).rows);
await client.end();
console.log(await promisify(execFile)('sh', ['-c', 'echo x >> out.log; wc -l < out.log']));
await appendFile('audit.log', `refunded at ${new Date().toISOString()}\n`);
await rm('tmp.txt');
console.log(await readFile('audit.log', 'utf8'));
