// Signs what it asks with a secret key: the server gets a signature that nobody without the key can compute.
import { createHmac } from 'node:crypto';
const body = JSON.stringify({ amount: 12 });
const signature = createHmac('sha256', process.env.API_KEY).update(body).digest('hex');
const answer = await fetch(`${process.env.SERVER_URL}/json`, { method: 'POST', headers: { 'x-signature': signature }, body });
console.log(answer.status);
