/** What a pattern of `--live` lets out. */
import { expect, it } from 'vitest';
import { matches } from '../../src/cli/fork/peer.ts';

it.each([
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/7?full=1', true],
  ['api.example.com/items/*', 'POST', 'https://api.example.com/items/7', false],
  ['POST https://api.example.com/items', 'POST', 'https://api.example.com/items', true],
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/..%2fdelete', false],
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/%2e%2e/delete', false],
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/..%5Cdelete', false],
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/%252e%252e/delete', false],
  ['api.example.com/items/*', 'GET', 'https://api.example.com/items/..;/delete', false],
  ['api.example.com/items;v=2/*', 'GET', 'https://api.example.com/items;v=2/7', true],
  ['api.example.com/files/a%2fb', 'GET', 'https://api.example.com/files/a%2fb', true],
  ['api.example.com/items/*', 'GET', 'https://api.example.com.evil.example/items/7', false],
  ['*.example.com/items', 'GET', 'https://evil.example/x.example.com/items', false],
])('%s: %s %s', (pattern, method, url, isLive) => expect(matches(pattern, method, url)).toBe(isLive));
