import { expect, it } from 'vitest';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

it('S04 redirects, answers without a body, HEAD, and a kept connection that the server closed', async () => {
  const { recorded, requests } = await holdsBaseRule('cases/s04-edges.mjs', (stdout) => withoutChance(stdout).replace(/"n":[\d.e-]+/g, 'N'));
  const lines = recorded.stdout.toString().split('\n');
  const line = (name: string): string => lines.find((text) => text.startsWith(`${name} `)) ?? '';
  expect(line('see-other')).toMatch(/^see-other 200 basic true \/json\?from=see-other false null .*"method":"GET","authorization":"Bearer secret","body":""/);
  expect(line('cross-origin')).toMatch(/^cross-origin 200 \w+ true \/json\?there false null .*"authorization":null/);
  expect(line('manual')).toBe('manual 302 basic false /found?to=/json false /json elsewhere');
  expect(line('error')).toBe('error TypeError fetch failed unexpected redirect');
  expect(line('no-content')).toBe('no-content 204 basic false /no-content true null ');
  expect(line('etag')).toMatch(/^etag "[0-9a-f-]{36}"$/);
  expect(line('not-modified')).toBe('not-modified 304 basic false /not-modified true null ');
  expect(line('head')).toMatch(/^head gzip 123 \S+ 0$/);
  expect(line('http head')).toBe('http head true 200 123 gzip undefined undefined ');
  // The connection of the first had been kept, and was closed before the second.
  expect(line('first')).toMatch(/^first true 200 /);
  expect(line('second')).toMatch(/^second false 200 /);
  expect(requests).toEqual([
    'POST /see-other', 'GET /json?from=see-other', expect.stringMatching(/^GET \/found/), 'GET /json?there', 'GET /found?to=/json', 'GET /found?to=/json',
    'GET /no-content', 'GET /not-modified', 'HEAD /compressed', 'GET /see-other', 'GET /no-content', 'GET /not-modified', 'HEAD /compressed', 'GET /idle-close', 'GET /json?second',
  ]);
});
