import { ask, talk } from './client.mjs';

export async function visit(place) {
  const lines = [];
  for (const path of ['/one', '/stack', '/throw', '/reject']) lines.push(await ask(place, path, { method: 'POST', body: 'the body' }));
  const post = (path) => `POST ${path} HTTP/1.1\r\nHost: host\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`;
  lines.push(await talk(place, [post('/two') + post('/three') + 'GET /four HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n']));
  const many = Array.from({ length: 70 }, (_, i) => `X-${i}: ${i}\r\n`).join('');
  lines.push(await talk(place, [`GET /many HTTP/1.1\r\nHost: host\r\n${many}Connection: close\r\n\r\n`]));
  lines.push(await ask(place, '/quit'));
  return lines;
}
