// TLS to PostgreSQL: with a certificate that is known, with none that is; two queries at once.
import pg from 'pg';

const client = new pg.Client({ host: 'localhost', ssl: { rejectUnauthorized: true } });
await client.connect();
const { encrypted, authorized } = client.connection.stream;
console.log(encrypted, authorized, client.connection.stream.getProtocol());
console.log((await client.query('SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).rows);
console.log(await Promise.all([1, 2].map(async (n) => (await client.query('SELECT $1::int AS n, gen_random_uuid() AS id', [n])).rows[0])));
console.log((await client.query("SELECT repeat('x', 200000) || random() AS large")).rows[0].large.length > 200_000);
await client.end();
const strict = new pg.Client({ ssl: { rejectUnauthorized: true, ca: [] , servername: 'elsewhere.example' } });
await strict.connect().catch(({ code, message }) => console.log(code, message));
