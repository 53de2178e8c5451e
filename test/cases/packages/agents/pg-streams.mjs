// Results larger than one answer: a cursor, a stream of rows, COPY in both directions.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';

const client = new pg.Client();
await client.connect();
await client.query('CREATE TABLE numbers (n int, name text, chance float8)');
await pipeline(Readable.from(Array.from({ length: 3000 }, (_, n) => `${n}\tname ${n} ü\t${Math.random()}\n`)), client.query(copy.from('COPY numbers FROM STDIN')));
console.log((await client.query('SELECT count(*)::int, sum(n)::int, sum(chance) FROM numbers')).rows);

const cursor = client.query(new Cursor('SELECT n, name, random() AS chance FROM numbers WHERE n < $1 ORDER BY n', [250]));
for (let rows = await cursor.read(100); rows.length > 0; rows = await cursor.read(100)) console.log('cursor', rows.length, rows[0], rows.at(-1));
const given = client.query(new Cursor('SELECT n FROM numbers'));
console.log('given up', (await given.read(3)).length);
await given.close();

let sum = 0;
let pieces = 0;
for await (const row of client.query(new QueryStream('SELECT n, chance FROM numbers ORDER BY n LIMIT 500', [], { batchSize: 64 }))) {
  sum += row.chance;
  if (++pieces % 100 === 0) console.log('stream', pieces, row);
}
console.log(pieces, sum);
for await (const row of client.query(new QueryStream('SELECT n FROM numbers ORDER BY n', [], { rowMode: 'array', batchSize: 10 }))) {
  if (row[0] === 25) break;
}
let bytes = 0;
let lines = 0;
for await (const piece of client.query(copy.to('COPY (SELECT n, repeat(name, 20), random() FROM numbers) TO STDOUT'))) {
  bytes += piece.length;
  lines += piece.toString().split('\n').length - 1;
}
console.log('copied', lines, bytes);
await new Promise((resolve) => {
  const failing = client.query(new QueryStream('SELECT 1 / (2000 - n) FROM numbers'));
  let rows = 0;
  failing.on('data', () => rows++).on('error', ({ code, message }) => resolve(console.log('failed after rows', rows > 0, code, message)));
});
const wrong = client.query(copy.from('COPY numbers FROM STDIN'));
await pipeline(Readable.from(['not a number\tx\t1\n']), wrong).catch(({ code, message }) => console.log(code, message));
await client.end();
