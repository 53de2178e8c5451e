/** What a replay says when the program starts another child, gives it something else, or does not start it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PRELOAD } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

it.each([
  ['an argument', "'two'", "'three'", { kind: 'process', field: 'args[1]', recorded: 'two', now: 'three' }],
  ['a variable of its environment', 'careful', 'careless', { kind: 'process', field: 'env.MODE', recorded: 'careful', now: 'careless' }],
  ['the command', "'echo'", "'printf'", { kind: 'process', field: 'command', recorded: 'echo', now: 'printf' }],
  ['its folder', "spawn('cat')", "spawn('cat', { cwd: '/' })", { kind: 'process', field: 'cwd', recorded: '(absent)', now: '"/"' }],
  ['what it is given', 'given text', 'other text', { kind: 'child process write', field: 'line 1, column 1', recorded: 'given text', now: 'other text' }],
  ['one that is not started', 'console.log(execFileSync', 'if (false) console.log(execFileSync', { kind: 'process', field: 'command', recorded: 'echo', now: 'cat' }],
])('%s', async (_, from, to, { kind, field, recorded, now }) => {
  const workspace = testWorkspace();
  const agent = workspace.copy('children/asks.mjs');
  await workspace.node([...PRELOAD.import, agent]);
  workspace.write('asks.mjs', readFileSync(agent, 'utf8').replace(from, to));
  const replayed = await workspace.replay();
  expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'diverged', kind, liveCalls: 0, firstDifference: { field, expected: expect.stringContaining(recorded), actual: expect.stringContaining(now) } } });
  expect(replayed.report?.stack[0]).toContain('asks.mjs');
});
