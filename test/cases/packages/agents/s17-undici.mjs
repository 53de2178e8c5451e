// undici from npm, the major given as argument, beside the one inside Node: each call alone, then the shared dispatcher replaced.
const { Agent, fetch: ownFetch, Pool, request, setGlobalDispatcher, stream } = await import(process.argv[2]);
const server = process.env.SERVER_URL;
const url = (name) => `${server}/json?by=${name}&d=10`;

console.log('fetch', (await (await ownFetch(url('fetch'))).json()).id);
console.log('request', (await (await request(url('request'))).body.json()).id);
const { Writable } = await import('node:stream');
const chunks = [];
await stream(url('stream'), { method: 'GET' }, () => new Writable({ write: (chunk, _, done) => (chunks.push(chunk), done()) }));
console.log('stream', JSON.parse(Buffer.concat(chunks)).id);
const pool = new Pool(server, { connections: 2 });
console.log('pool', (await Promise.all([1, 2, 3].map(async (i) => (await (await pool.request({ method: 'GET', path: `/json?by=pool-${i}` })).body.json()).id))).join(' '));
await pool.close();

const agent = new Agent({ connections: 1 });
setGlobalDispatcher(agent);
const body = JSON.stringify({ question: 'ünicode' });
const post = { method: 'POST', body, headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } };
for (const [name, fetch] of Object.entries({ global: globalThis.fetch, own: ownFetch })) {
  try {
    const response = await fetch(url(`after-${name}`), post);
    const answer = await response.json();
    console.log('after', name, response.status, response.headers.get('content-type'), answer.body, answer.id);
  } catch (error) {
    console.log('after', name, error.name, error.message, error.cause?.code, error.cause?.message);
  }
}
await agent.close();
