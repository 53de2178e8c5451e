// Case S12: a token that expires; it is cached, verified, and refreshed when it looks old.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
const server = process.env.SERVER_URL;
let cached;
async function token() {
  if (cached && Date.now() < cached.expiresAt) return cached.token;
  const { access_token: fresh, expires_in: seconds } = await (await fetch(`${server}/token`, { method: 'POST' })).json();
  cached = { token: fresh, expiresAt: Date.now() + seconds * 1000 };
  console.log('a token was fetched');
  return fresh;
}
function verify(jwt) {
  const [head, claims, signature] = jwt.split('.');
  if (createHmac('sha256', process.env.TOKEN_SECRET).update(`${head}.${claims}`).digest('base64url') !== signature) return 'forged';
  const { exp, jti } = JSON.parse(Buffer.from(claims, 'base64url'));
  return new Date() / 1000 < exp ? `valid ${jti}` : 'expired';
}
for (let i = 0; i < 2; i++) {
  const response = await fetch(`${server}/protected`, { headers: { authorization: `Bearer ${await token()}` } });
  console.log(response.status, (await response.json()).id, verify(await token()));
  await sleep(30);
}
