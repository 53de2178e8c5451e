/** Which server a request is for. */
import { expect, test } from 'vitest';
import { headOf, type Site } from '../../src/proxy/head.ts';

const PORT = 4000;
const at = (line: string, host = `127.0.0.1:${PORT}`, more: Record<string, string> = {}, tunnel?: Site): string => {
  const head = headOf(`${line} HTTP/1.1`, [['Host', host], ...Object.entries(more)], { tunnel, port: PORT });
  if ('status' in head) return String(head.status);
  return `${head.site ? `${head.site.scheme} ${head.site.host} ${head.site.port}` : 'any'} | ${head.bytes.toString().trimEnd().replaceAll('\r\n', ' | ')}`;
};

test.each([
  ['GET http://a.example/x?y=1', 'a.example', 'http a.example 80 | GET /x?y=1 HTTP/1.1 | Host: a.example'],
  ['GET http://a.example:81', 'b.example', 'http a.example 81 | GET / HTTP/1.1 | Host: a.example:81'],
  ['GET http://user:word@a.example/', 'a.example', 'http a.example 80 | GET / HTTP/1.1 | Host: a.example'],
  ['GET http://[::1]:81/', '[::1]:81', 'http ::1 81 | GET / HTTP/1.1 | Host: [::1]:81'],
  ['POST /https://a.example/v1/x', `127.0.0.1:${PORT}`, 'https a.example 443 | POST /v1/x HTTP/1.1 | Host: a.example'],
  ['POST /https:/a.example:444/v1/x', `localhost:${PORT}`, 'https a.example 444 | POST /v1/x HTTP/1.1 | Host: a.example:444'],
  [`POST http://127.0.0.1:${PORT}/v1/x`, `127.0.0.1:${PORT}`, `any | POST /v1/x HTTP/1.1 | Host: 127.0.0.1:${PORT}`],
  [`POST http://localhost:${PORT}/https://a.example/x`, `localhost:${PORT}`, 'https a.example 443 | POST /x HTTP/1.1 | Host: a.example'],
  ['POST /v1/x', `127.0.0.1:${PORT}`, `any | POST /v1/x HTTP/1.1 | Host: 127.0.0.1:${PORT}`],
  ['GET http://:80/', 'a', '400'],
  ['GET http://a.example:99999/', 'a', '400'],
])('%s', (line, host, expected) => {
  expect(at(line, host)).toBe(expected);
});

test('what was said to the proxy stays there', () => {
  expect(at('GET http://a.example/', 'a.example', { 'Proxy-Connection': 'keep-alive', 'Proxy-Authorization': 'Basic eA==', Accept: '*/*' })).toBe('http a.example 80 | GET / HTTP/1.1 | Host: a.example | Accept: */*');
});

test('within a tunnel the path is the server’s own', () => {
  expect(at('GET /https://other.example/', 'a.example', {}, { scheme: 'https', host: 'a.example', port: 443 })).toBe('https a.example 443 | GET /https://other.example/ HTTP/1.1 | Host: a.example');
});

test.each(['rebound.example', `rebound.example:${PORT}`, '127.0.0.1', `127.0.0.1:${PORT + 1}`, '', `127.0.0.1.example:${PORT}`])('a page that came by the name "%s" is turned away', (host) => {
  expect(at('GET /v1/x', host)).toBe('403');
  expect(at('GET /https://a.example/v1/x', host)).toBe('403');
});

test('a page of another site is turned away', () => {
  expect(at('GET /https://a.example/', undefined, { 'Sec-Fetch-Site': 'cross-site' })).toBe('403');
  expect(at('GET /https://a.example/', undefined, { 'Sec-Fetch-Site': 'none' })).toContain('https a.example');
});
