// What a store of text would refuse or mend: a NUL, its six-character spelling, lone surrogates, bytes that are no UTF-8, Latin-1 in a header.
import { get } from 'node:http';
const points = (text) => [...text].map((character) => character.codePointAt(0).toString(16)).join(' ');
const server = process.env.ODD_URL;
for (const path of ['nul', 'spelled', 'surrogate', 'both']) {
  const { choices } = await (await fetch(`${server}/${path}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'odd', messages: [{ role: 'user', content: `${path} \0 \\u0000 \ud800` }] }) })).json();
  console.log(path, choices[0].message.content.length, points(choices[0].message.content));
}
const { headers } = await fetch(`${server}/nul`, { method: 'POST', body: '{}' });
console.log('header', points(headers.get('x-name')));
const raw = await new Promise((resolve) => get(`${server}/bytes`, resolve));
const bytes = Buffer.concat(await raw.toArray());
console.log('raw', points(raw.headers['x-name']), points(raw.rawHeaders[raw.rawHeaders.indexOf('X-Name') + 1]), bytes.toString('hex'));
console.log(`odd output: \0 \u202e \ufeff ${'\ud83d'} \x1b[31mred\x1b[0m`);
process.stdout.write(Buffer.from([0x66, 0xff, 0xfe, 0x00, 0x80, 0x0a]));
