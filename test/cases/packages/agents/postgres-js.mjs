// Another driver: statements prepared once and sent in a row, transactions, cursors, subscriptions, errors.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 2, onnotice: ({ severity, message }) => console.log(severity, message), idle_timeout: 5 });
await sql`DROP TABLE IF EXISTS notes`;
await sql`CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY, text text NOT NULL, tags text[], detail jsonb, at timestamptz DEFAULT clock_timestamp())`;
const notes = [{ text: 'one', tags: ['a', 'b'], detail: { n: 1 } }, { text: 'zwei ü', tags: [], detail: [null, 'x'] }];
console.log(await sql`INSERT INTO notes ${sql(notes.map(({ detail, ...note }) => ({ ...note, detail: sql.json(detail) })))} RETURNING *`);

// Sent together on one connection.
const results = await Promise.all(Array.from({ length: 6 }, (_, n) => sql`SELECT ${n}::int AS n, random() AS chance, pg_sleep(${Math.random() / 100})::text AS slept`));
console.log(results.map(([row]) => row));
console.log((await sql`SELECT id, text FROM notes WHERE text = ANY(${['one', 'two']})`.values()), (await sql`SELECT 1 AS a, 2 AS b; SELECT 3 AS c`.simple()).length);

await sql.begin(async (transaction) => {
  await transaction`UPDATE notes SET text = ${'changed'} WHERE id = 1`;
  await transaction.savepoint((inner) => inner`SELECT 1 / ${0}::int`).catch(({ code }) => console.log('inner', code));
});
await sql.begin(async (transaction) => {
  await transaction`DELETE FROM notes`;
  throw new Error('not after all');
}).catch(({ message }) => console.log(message));
console.log(await sql`SELECT id, text FROM notes ORDER BY id`);

for await (const rows of sql`SELECT n, random() AS chance FROM generate_series(1, 25) AS n`.cursor(10)) console.log(rows.length, rows[0]);
const heard = Promise.withResolvers?.() ?? (() => { let resolve; const promise = new Promise((done) => (resolve = done)); return { promise, resolve }; })();
const { unlisten } = await sql.listen('news', heard.resolve);
await sql.notify('news', `item ${Math.random()}`);
console.log(await heard.promise);
await unlisten();

for (const ask of [() => sql`INSERT INTO notes (text) VALUES (NULL)`, () => sql`SELECT * FROM nowhere`, () => sql`SELECT ${'x'}::int`]) {
  const error = await ask().catch((failure) => failure);
  console.log(error.name, error.code, error.message, error.column_name ?? null, error.severity);
}
const slow = sql`SELECT pg_sleep(20)`;
setTimeout(() => slow.cancel(), 30);
await slow.catch(({ code, message }) => console.log(code, message));
await sql.end();
