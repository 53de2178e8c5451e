// Sequential queries of PostgreSQL with parameters, as an agent's tool makes them: BENCH_CALLS of them, on one connection.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const { default: pg } = await import(createRequire(new URL('../../cases/packages/package.json', import.meta.url)).resolve('pg'));
const { BENCH_CALLS } = process.env;
const digest = createHash('sha256');
const failures = [];
const client = new pg.Client();
await client.connect();

const before = process.cpuUsage();
for (let call = 0; call < Number(BENCH_CALLS); call++) {
  try {
    const { rows } = await client.query("SELECT n, 'row ' || n || ' of ' || $1 AS text, random() AS chance FROM generate_series(1, 10) AS n WHERE n > $2", [call, 2]);
    digest.update(JSON.stringify(rows));
  } catch (error) {
    failures.push(String(error));
  }
}
const { user, system } = process.cpuUsage(before);
await client.end();

console.log(`answers ${Number(BENCH_CALLS) - failures.length}/${BENCH_CALLS} ${digest.digest('hex').slice(0, 16)}`);
if (failures.length > 0) console.log(`first failure: ${failures[0]}`);
console.log(JSON.stringify({ loopCpuMs: (user + system) / 1000 }));
