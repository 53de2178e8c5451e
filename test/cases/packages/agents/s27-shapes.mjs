// What PostgreSQL gives, as the driver shapes it: types, rows as arrays, several results, a cursor, a stream of rows, an error.
import { inspect } from 'node:util';
import pg from 'pg';
import Cursor from 'pg-cursor';
import QueryStream from 'pg-query-stream';

const show = (name, value) => console.log(name, inspect(value, { depth: 9, maxArrayLength: null }));
const client = new pg.Client();
await client.connect();
const everything = `SELECT now() AS at, 9223372036854775807::int8 AS big, 1234.50::numeric AS exact, '\\x00ff10'::bytea AS bytes, '{"a": [1, null, "ü"]}'::jsonb AS doc, ARRAY['a', 'b "c"', NULL]::text[] AS texts, NULL::int AS nothing, interval '1 mon 2 days 03:04:05.678' AS span`;
for (const rowMode of [undefined, 'array']) {
  const { rows, fields, rowCount, command } = await client.query({ text: everything, rowMode });
  show(`as ${rowMode ?? 'objects'}`, { rows, fields, rowCount, command, prototypes: rows.map((row) => Object.values(row).map((value) => value?.constructor?.name ?? String(value))) });
}
show('two statements', (await client.query('SELECT 1; SELECT 2')).map(({ rows, command, rowCount }) => ({ rows, command, rowCount })));
show('none', (await client.query('')).rows);

await client.query('CREATE TEMP TABLE lines (n int PRIMARY KEY, chance float8)');
const { rowCount } = await client.query('INSERT INTO lines SELECT n, random() FROM generate_series(1, 500) AS n');
const cursor = client.query(new Cursor('SELECT n, chance FROM lines ORDER BY n'));
const batches = [];
for (let rows = await cursor.read(120); rows.length > 0; rows = await cursor.read(120)) batches.push(rows);
show('cursor', { rowCount, batches: batches.map(({ length }) => length), last: batches.at(-1).at(-1) });
const streamed = [];
for await (const row of client.query(new QueryStream('SELECT n, chance FROM lines ORDER BY n'))) streamed.push(row);
show('stream', { rows: streamed.length, same: inspect(streamed, { maxArrayLength: null }) === inspect(batches.flat(), { maxArrayLength: null }), first: streamed[0] });

try {
  await client.query('INSERT INTO lines VALUES ($1, 0)', [17]);
} catch (error) {
  const { code, constraint, detail, table, severity } = error;
  show('duplicate', { is: error instanceof pg.DatabaseError, name: error.constructor.name, code, constraint, detail, table, severity, message: error.message });
}
await client.end();
