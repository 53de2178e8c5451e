// A pool of PostgreSQL connections: more queries than connections, in an order that chance decides; a connection that dies, and a second attempt.
import pg from 'pg';

const pool = new pg.Pool({ max: 3, idleTimeoutMillis: 10_000 });
pool.on('connect', () => console.log('connection', pool.totalCount));
pool.on('remove', () => console.log('removed', pool.totalCount));
pool.on('error', ({ code, message }) => console.log('an idle connection:', code, message));
await pool.query('CREATE TABLE jobs (n int, who int, at timestamptz)');

const order = [];
await Promise.all(Array.from({ length: 10 }, async (_, n) => {
  const { rows: [row] } = await pool.query('SELECT pg_sleep(random() * 0.03)::text AS slept, pg_backend_pid() AS who, random() AS chance', []);
  order.push(n);
  await pool.query('INSERT INTO jobs VALUES ($1, $2, clock_timestamp())', [n, row.who]);
  console.log(n, row, pool.waitingCount);
}));
console.log(order, (await pool.query('SELECT count(*)::int AS jobs, count(DISTINCT who)::int AS connections FROM jobs')).rows);

// A transaction of its own connection, beside others.
const client = await pool.connect();
await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
const [inside, outside] = await Promise.all([client.query('DELETE FROM jobs WHERE n < 5 RETURNING n'), pool.query('SELECT count(*)::int AS jobs FROM jobs')]);
console.log(inside.rowCount, outside.rows);
await client.query('COMMIT');
client.release();

// The server ends a connection in the middle of a query.
async function retried(attempt, times) {
  for (let n = 1; ; n++) {
    try {
      return await attempt(n);
    } catch (error) {
      console.log('attempt', n, error.code, error.message);
      if (n === times) throw error;
    }
  }
}
const { rows: [survived] } = await retried(async (n) => {
  const victim = await pool.connect();
  // Whoever waits for the answer is told; whoever listens to the connection, too.
  victim.once('error', (error) => console.log('the connection:', error.code ?? error.message));
  const { rows: [{ pid }] } = await victim.query('SELECT pg_backend_pid() AS pid');
  const asked = victim.query('SELECT pg_sleep($1) IS NULL AS slept, clock_timestamp() AS at', [n === 1 ? 30 : 0.01]);
  if (n === 1) setTimeout(() => void pool.query('SELECT pg_terminate_backend($1)', [pid]), 20);
  return asked.finally(() => victim.release(n === 1));
}, 3);
console.log(survived);

// And one that is idle.
const pids = (await pool.query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle' ORDER BY pid")).rows;
if (pids.length > 0) {
  const gone = new Promise((resolve) => pool.once('error', resolve));
  await pool.query('SELECT pg_terminate_backend($1)', [pids[0].pid]);
  await gone;
}
await pool.query("SET statement_timeout = '20ms'; SELECT pg_sleep(5)").catch(({ code, message }) => console.log(code, message));
console.log((await pool.query('SELECT count(*)::int AS jobs FROM jobs')).rows, pool.totalCount >= 1);
await pool.end();
await pool.query('SELECT 1').catch(({ message }) => console.log(message));
await new pg.Pool({ password: 'wrong' }).query('SELECT 1').catch(({ code, severity, message }) => console.log(code, severity, message));
await new pg.Pool({ database: 'absent' }).query('SELECT 1').catch(({ code, message }) => console.log(code, message));
