/** `diff <run> <run>`: two recorded runs of one agent, whose world answered differently. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { desk, type Desk, QUIET, type World } from '../support/desk.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Shown {
  readonly same: boolean;
  readonly first: Pair | null;
  readonly firstDecision: Pair | null;
  readonly overtaking: readonly Pair[] | null;
  readonly outcome: { readonly exit: readonly number[]; readonly printed: { readonly stream: string; readonly chance: boolean } | null };
  readonly pairs: readonly Pair[];
}

interface Pair {
  readonly a: number | null;
  readonly b: number | null;
  readonly name: string;
  readonly relation: string;
  readonly asked: { readonly field: string } | null;
  readonly answered: { readonly field: string; readonly expected: string; readonly actual: string } | null;
}

async function recordIn(workspace: Workspace, world: World, place: Desk): Promise<string> {
  place.open(world);
  await workspace.record('order-desk.mjs', { env: { DESK_URL: place.url } });
  const { stdout } = await workspace.cli(['runs', '--json']);
  return (JSON.parse(stdout.toString()) as [{ id: string }])[0].id;
}

test('where two runs part, what the model decided, and what came of it', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const a = await recordIn(workspace, QUIET, place);
  const b = await recordIn(workspace, { status: 'lost', refunds: [{ order: 7 }], first: '/customers/3' }, place);

  const text = (await workspace.cli(['diff', a, b])).stdout.toString();
  expect(text).toMatch(/Another order: the answer of \d+ (\(\d+ in b\) )?came before that of \d+ (\(\d+ in b\) )?in a, after it in b/);
  expect(text).toMatch(/First difference: step \d+.* http GET .*\/orders\/7\n {2}answered: body.status\n {4}a: shipped\n {4}b: lost/);
  expect(text).toMatch(/First different decision: .*llm openai.*\n {2}a → Nothing to do\.\n {2}b → refund\(\{"order":7\}\)/);
  // The prompts as a unified diff.
  expect(text).toMatch(/-Order 7 is shipped\.\n +\+Order 7 is lost\.\n +The customer is Ada\./);
  expect(text).toMatch(/ – +\d+ {2}\+ http POST .*\/refund/);
  expect(text).toContain('Outcome: exit 0 in a, 1 in b\n  stdout differs first at line 1');

  const shown = JSON.parse((await workspace.cli(['diff', a, b, '--json'])).stdout.toString()) as Shown;
  expect(shown).toMatchObject({ same: false, first: { relation: 'changed', asked: null, answered: { field: 'body.status', expected: 'shipped', actual: 'lost' } }, outcome: { exit: [0, 1], printed: { stream: 'stdout', chance: false } } });
  expect(shown.firstDecision).toMatchObject({ relation: 'changed', asked: { field: 'messages[1].content' } });
  expect(shown.overtaking).toHaveLength(2);
  expect(shown.pairs.map(({ relation }) => relation).sort()).toEqual(['added', 'changed', 'changed', 'same']);
});

test('runs that differ in times and ids alone are the same', async () => {
  const [workspace, place] = [testWorkspace(), await desk()];
  const world = { ...QUIET, refunds: [{ order: 7 }, { order: 8 }] };
  const [a, b] = [await recordIn(workspace, world, place), await recordIn(workspace, world, place)];
  const shown = JSON.parse((await workspace.cli(['diff', a, b, '--json'])).stdout.toString()) as Shown;
  expect(shown).toMatchObject({ same: true, first: null, firstDecision: null, overtaking: null, outcome: { exit: [1, 1], printed: { chance: true } } });
  expect(shown.pairs).toHaveLength(5);
  expect((await workspace.cli(['diff', a, b])).stdout.toString()).toContain('The same: 5 steps asked and answered alike');
});

test('it takes two runs, and says so', async () => {
  const workspace = testWorkspace();
  const one = await workspace.cli(['diff', 'latest']);
  expect(one).toMatchObject({ exitCode: 2 });
  expect(one.stderr.toString()).toMatch(/diff takes two runs, not 1/);
  const none = await workspace.cli(['diff', 'latest', 'latest']);
  expect(none).toMatchObject({ exitCode: 2 });
  expect(none.stderr.toString()).toContain('holds no runs');
});

test('a call that is refused and made again decides once', async () => {
  const workspace = testWorkspace();
  let [refuses, content] = [false, 'yes'];
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    if (refuses) response.writeHead(429).end('{"error":{"message":"slow down"}}');
    else response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }] }));
    refuses = false;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const agent = workspace.write('asks.mjs', `
    const ask = () => fetch(process.env.SERVER + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'May we?' }] }) });
    let response = await ask();
    if (!response.ok) response = await ask();
    console.log((await response.json()).choices[0].message.content);`);
  for (const [isRefused, answer] of [[false, 'yes'], [true, 'yes'], [true, 'no']] as const) {
    [refuses, content] = [isRefused, answer];
    await workspace.record(agent, { env: { SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
  }
  const [plain, again, other] = workspace.runs() as [string, string, string];
  expect(JSON.parse((await workspace.cli(['diff', plain, again, '--json'])).stdout.toString())).toMatchObject({ same: false, firstDecision: null });
  expect((await workspace.cli(['diff', plain, other])).stdout.toString()).toMatch(/First different decision: .*\n {2}a → yes\n {2}b → no/);
});
