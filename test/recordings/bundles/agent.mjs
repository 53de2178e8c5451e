// Needs a key: shows it to the server, and tells its length and its end.
const key = process.env.API_KEY;
const answer = await fetch(`${process.env.SERVER_URL}/json?api_key=${key}`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify({ question: 'who?', password: key }) });
console.log(answer.status, (await answer.text()).length, key.length, Date.now(), Math.random());
const { headers } = await fetch(`${process.env.SERVER_URL}/json`, { headers: { 'x-api-key': key, authorization: `Basic ${Buffer.from(`user:${key}`).toString('base64')}` } });
console.log(headers.get('content-type'), process.argv.slice(2), process.env.HOME);
