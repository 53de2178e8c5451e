// The undici package from npm, not the one inside Node: request, a Pool with pipelining, its own fetch, stream.
import { fetch, Pool, request } from 'undici';
const server = process.env.SERVER_URL;
const { statusCode, body } = await request(`${server}/json?d=20`);
console.log(statusCode, await body.json());
const pool = new Pool(server, { connections: 2, pipelining: 1 });
const answers = await Promise.all([1, 2, 3, 4].map(async (i) => (await pool.request({ path: `/json?d=30&i=${i}`, method: 'POST', body: `${i}` })).body.json()));
console.log(answers.map(({ body: sent, id }) => [sent, id]));
await pool.close();
const response = await fetch(`${server}/sse?n=3`);
for await (const chunk of response.body) console.log(Buffer.from(chunk).toString().trim());
await request(`${server}/reset`).then((answer) => answer.body.text()).catch((error) => console.log(error.name, error.code, error.message));
