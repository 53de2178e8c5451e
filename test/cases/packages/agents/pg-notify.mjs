// LISTEN and NOTIFY between two connections, and one that is called back while it asks.
import { once } from 'node:events';
import pg from 'pg';

const [listener, sender] = [new pg.Client({ application_name: 'listener' }), new pg.Client()];
await Promise.all([listener.connect(), sender.connect()]);
const heard = [];
listener.on('notification', ({ channel, payload, processId }) => {
  heard.push(payload);
  console.log(channel, payload, processId === sender.processID);
});
await listener.query('LISTEN orders; LISTEN "Other Channel"');
for (let n = 0; n < 4; n++) {
  const came = once(listener, 'notification');
  await sender.query('SELECT pg_notify($1, $2)', [n % 2 ? 'orders' : 'Other Channel', JSON.stringify({ n, id: Math.random() })]);
  await came;
}
// Together with the answers to its own questions.
const both = new Promise((resolve) => listener.on('notification', () => heard.length === 7 && resolve()));
await Promise.all([
  listener.query('SELECT pg_sleep(0.01), clock_timestamp() AS at').then(({ rows }) => console.log(rows[0].at)),
  sender.query("BEGIN; NOTIFY orders, 'a'; NOTIFY orders, 'b'; NOTIFY orders; COMMIT"),
]);
await both;
await listener.query('UNLISTEN *');
await sender.query("NOTIFY orders, 'unheard'");
console.log((await listener.query('SELECT now() AS at')).rows, heard.length);
await Promise.all([listener.end(), sender.end()]);
