// One client of PostgreSQL: types, parameters, prepared statements, rows as arrays, several statements at once, notices, transactions, errors.
import pg from 'pg';

const client = new pg.Client();
client.on('notice', ({ severity, message }) => console.log('notice', severity, message));
await client.connect();
console.log('connected', typeof client.processID);

await client.query('CREATE TABLE orders (id serial PRIMARY KEY, code text UNIQUE NOT NULL, amount numeric(10,2) CHECK (amount > 0), tags text[], detail jsonb, made timestamptz DEFAULT now(), proof bytea, key uuid DEFAULT gen_random_uuid())');
for (let n = 0; n < 5; n++) {
  const { rows, rowCount, command } = await client.query('INSERT INTO orders (code, amount, tags, detail, proof) VALUES ($1, $2, $3, $4, $5) RETURNING id, key, made', [`A-${n}`, 10.5 + n, ['x', `y "${n}"`, null], { n, text: 'né ü 漢字' }, Buffer.from([0, 1, n, 255])]);
  console.log(command, rowCount, rows);
}

const types = await client.query(`SELECT now() AS at, random() AS chance, 9007199254740993::int8 AS big, 12.340::numeric AS exact, '\\xdeadbeef'::bytea AS bytes, '{"a":[1,null]}'::jsonb AS doc,
  ARRAY['a','b c',NULL]::text[] AS texts, ARRAY[[1,2],[3,4]] AS grid, NULL::text AS nothing, interval '1 day 02:03:04.5' AS span, 'NaN'::float8 AS nan, true AS yes, '2026-02-28'::date AS day, point(1,2) AS spot, int4range(1,5) AS range`);
console.log(types.rows[0]);
console.log(types.fields.map(({ name, dataTypeID, format }) => `${name} ${dataTypeID} ${format}`).join(', '));

console.log((await client.query({ text: 'SELECT id, code, code FROM orders ORDER BY id', rowMode: 'array' })).rows);
for (const id of [1, 2, 9]) console.log((await client.query({ name: 'by-id', text: 'SELECT code, amount, proof FROM orders WHERE id = $1', values: [id] })).rows);
console.log((await client.query({ text: 'SELECT $1::int4 AS four, $2::float8 AS double, $3::text AS text, $4::bytea AS raw', values: [7, 1.5, 'ü', Buffer.from('raw')], binary: true })).rows);
console.log((await client.query('SELECT 1 AS one; SELECT 2 AS two, 3 AS three; UPDATE orders SET amount = amount + 1 WHERE id < 3')).map(({ command, rowCount, rows }) => ({ command, rowCount, rows })));
await client.query("DO $$ BEGIN RAISE NOTICE 'half way, %', clock_timestamp(); END $$");

for (const [text, values] of [
  ['INSERT INTO orders (code, amount) VALUES ($1, $2)', ['A-1', 1]],
  ['INSERT INTO orders (code, amount) VALUES ($1, $2)', ['B-1', -1]],
  ['INSERT INTO orders (amount) VALUES (1)', []],
  ['SELECT nowhere FROM orders', []],
  ['SELECT $1::int', ['abc']],
  ['this is no SQL', []],
]) {
  const error = await client.query(text, values).catch((failure) => failure);
  const { name, code, severity, constraint, table, column, detail, hint, position, routine } = error;
  console.log(error instanceof pg.DatabaseError, { name, code, severity, constraint, table, column, detail, hint, position, routine, message: error.message });
}

await client.query('BEGIN');
await client.query("UPDATE orders SET amount = 999 WHERE code = 'A-0'");
await client.query('SAVEPOINT before');
await client.query('SELECT 1/0').catch(({ code }) => console.log('in the transaction', code));
await client.query('ROLLBACK TO before');
console.log((await client.query("SELECT amount FROM orders WHERE code = 'A-0'")).rows);
await client.query('ROLLBACK');
console.log((await client.query("SELECT amount FROM orders WHERE code = 'A-0'")).rows);

// Asked without waiting: answered in this order, one connection does one thing at a time.
console.log(await Promise.all(['a', 'b', 'c'].map(async (name) => (await client.query('SELECT $1::text AS name, clock_timestamp() AS at', [name])).rows[0])));
await new Promise((resolve) => client.query('SELECT count(*) FROM orders', (error, result) => resolve(console.log('callback', error, result.rows))));
await client.end();
console.log('ended');
