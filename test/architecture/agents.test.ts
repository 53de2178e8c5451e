/** An agent that no test runs proves nothing. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, read } from './sources.ts';

const PROGRAM = /\.[cm]?js$|\.mts$|\.cts$/;

test('every agent is run by a test', () => {
  const tests = ['test', 'samples'].flatMap((folder) => [...filesBelow(folder, '.ts'), ...filesBelow(folder, 'js')]);
  const texts = new Map(tests.map((file) => [file, read(file)]));
  const agents = ['test/agents', 'test/cases/packages/agents'].flatMap((folder) => filesBelow(folder, '')).filter((file) => PROGRAM.test(file));
  const names = (text: string, agent: string): boolean => ["'", '"', '`', '/'].some((before) => text.includes(`${before}${basename(agent)}`));
  const forgotten = agents.filter((agent) => ![...texts].some(([file, text]) => file !== agent && names(text, agent)));
  expect(agents.length).toBeGreaterThan(0);
  expect(forgotten).toEqual([]);
});
