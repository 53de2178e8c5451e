// fetch: GET, POST with a body, a redirect, headers, a 404.
const server = process.env.SERVER_URL;
const got = await fetch(`${server}/json?d=30`);
console.log(got.status, got.headers.get('date') !== null, await got.json());
const posted = await fetch(`${server}/json`, { method: 'POST', headers: { authorization: 'Bearer t0ken' }, body: JSON.stringify({ question: 'why?' }) });
console.log(await posted.json());
const redirected = await fetch(`${server}/redirect`);
console.log(redirected.redirected, redirected.url === `${server}/json?from=redirect`, (await redirected.json()).path);
const missing = await fetch(`${server}/nowhere`);
console.log(missing.status, missing.ok, await missing.text());
