import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

// The server holds each stream open for as long as the client stays: only a client that lets go of it ends by itself.
const EVENT = String.raw`data: {"i":%,"id":"UUID"}`;
const events = (count: number): string => Array.from({ length: count }, (_, i) => EVENT.replace('%', String(i))).join(' ');

it('S08a a stream that is left after three events holds up nobody', async () => {
  const { recorded, requests } = await holdsBaseRule('cases/s08-given-up.mjs', withoutChance, { args: ['break'] });
  expect(withoutChance(recorded.stdout.toString())).toBe(`${events(3)}\nexit 0\n`);
  expect(requests).toEqual(['GET /held?n=4']);
});

it('S08b a stream that is aborted after two events', async () => {
  const { recorded } = await holdsBaseRule('cases/s08-given-up.mjs', withoutChance, { args: ['abort'] });
  expect(withoutChance(recorded.stdout.toString())).toBe(`${events(2)}\nAbortError true 20 This operation was aborted true true\nexit 0\n`);
});

it('S08c a request that was aborted before it was sent is none', async () => {
  const { recorded, requests, hits } = await holdsBaseRule('cases/s08-given-up.mjs', withoutChance, { args: ['aborted'] });
  expect(recorded.stdout.toString()).toBe('AbortError true 20 This operation was aborted true true\nexit 0\n');
  expect({ requests, hits }).toEqual({ requests: [], hits: 0 });
});

it('S08 by node:http: left, destroyed, aborted', async () => {
  const { recorded } = await holdsBaseRule('cases/s08-http.mjs', withoutChance);
  expect(recorded.stdout.toString()).toMatch(/^left true\nError undefined enough\nclosed false true\n\w*Error \w+ true\n$/);
});

it('S08d MCP over streamable HTTP: by hand, and by its SDK', async () => {
  const byHand = await holdsBaseRule('cases/s08-mcp.mjs', (stdout) => withoutChance(stdout).split('\n').sort().join('\n'));
  expect(byHand.recorded.stdout.toString()).toMatch(/\nended 200\nAbortError 20 true\n$/);
  expect(byHand.requests.toSorted()).toEqual(['DELETE /mcp', 'GET /mcp', 'POST /mcp', 'POST /mcp', 'POST /mcp']);

  const bySdk = await holdsBaseRule(join(PACKAGES, 'agents/mcp-http.mjs'), withoutChance);
  expect(bySdk.recorded.stdout.toString()).toMatch(/look_up \{"what":"weather"\} found [^]*look_up \{"what":"time"\} found [^]*welcome [^]*closed\n/);
});
