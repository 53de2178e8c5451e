// Sessions that a fork may go on with, and sessions that hold what no other has.
import pg from 'pg';

const query = async (client, label, ...asked) => console.log(label, JSON.stringify((await client.query(...asked)).rows));
const twice = (value) => ({ name: 'twice', text: 'SELECT $1::int * 2 AS twice', values: [value] });
const notes = 'SELECT count(*)::int AS notes FROM notes';

const client = new pg.Client({ application_name: 'pg-fork' });
await client.connect();
await query(client, 'prepared', twice(21));
await query(client, 'open', notes);
await query(client, 'prepared', twice(4));
await query(client, 'settings', "SELECT current_setting('application_name') AS name");
await client.query('INSERT INTO notes VALUES ($1)', ['a note']);
await client.end();

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await query(pool, 'pool', notes);
await pool.end();

for (const statement of ['BEGIN', "SET work_mem = '5MB'", 'LISTEN news']) {
  const bound = new pg.Client();
  await bound.connect();
  await bound.query(statement);
  await query(bound, statement.split(' ')[0], notes);
  await bound.end();
}
