/** What programs and tests import: the functions behind the command line, the matcher of vitest and the assertion of node:test. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Execution } from '../support/execute.ts';
import { ROOT } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const AGENT = `const { word } = await import('./word.mjs');
const answer = await fetch(process.env.SERVER_URL + '/json?word=' + word);
console.log(answer.status, Math.random());
`;
const DOCUMENT = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const EXAMPLES = [...DOCUMENT.matchAll(/```js\n([^]*?)```/g)].map(([, code = '']) => code);
const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

/** A project that has the package, as users have it. */
function project(): Workspace & { readonly project: string } {
  const workspace = testWorkspace();
  const folder = workspace.path('project');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/replay-harness'));
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  workspace.write('project/package.json', '{ "name": "somebody", "type": "module" }\n');
  workspace.write('project/agent.mjs', AGENT);
  workspace.write('project/word.mjs', 'export const word = "one";\n');
  return Object.assign(workspace, { project: folder });
}

test('the example of the documents runs, and its results are those of the command line', async () => {
  const place = project();
  const server = await testServer(place);
  const ran = await place.node([place.write('project/example.mjs', EXAMPLES[0] as string)], { cwd: place.project, env: server.env });
  expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, '']);
  const lines = ran.stdout.toString().split('\n');
  const listed = JSON.parse((await place.cli(['runs', '--json'], { cwd: place.project })).stdout.toString()) as { id: string; steps: number }[];
  expect(lines.filter((line) => line.startsWith('run:'))).toEqual(listed.map(({ id, steps }) => `run: ${id} 0 ${steps}`));
  expect(lines.filter((line) => line.startsWith('step:'))).toHaveLength(listed[0]?.steps ?? 0);
  expect(lines[0]).toBe('replayed: identical 0');
  expect(lines).toContain('verified: true 2');
  expect(ran.stdout.toString()).toMatch(/\nsame: (true|false) \[ 0, 0 \]\n/);
  expect(server.requests).toHaveLength(2);
});

test('errors are the classes of the contract, and a divergence is a result', async () => {
  const place = project();
  const server = await testServer(place);
  place.write('project/errors.mjs', `import * as api from 'replay-harness/api';
const tried = async (what) => { try { return await what(); } catch (error) { return [error.constructor.name, error.code, error instanceof api.HarnessError, error.message.split('\\n')[0]]; } };
import { appendFileSync, writeFileSync, readdirSync } from 'node:fs';
const out = {};
const { run, stdout, stderr, exitCode } = await api.record(['node', 'agent.mjs']);
out.recorded = [stdout.toString().startsWith('200 '), stderr.length, exitCode, run.status];
out.unknown = await tried(() => api.replay('ffffffff'));
out.command = await tried(() => api.record(['no-such-program']));
out.nothing = await tried(() => api.record(['true']));
writeFileSync('file', '');
out.store = await tried(() => api.record(['node', 'agent.mjs'], { store: 'file' }));
out.choice = await tried(() => api.verify([]));
const steps = await api.openStore().steps(run.id);
const http = steps.find(({ boundary }) => boundary === 'http');
const forked = await tried(() => api.fork(run.id, { at: http.step, set: { status: 503 } }));
out.forked = Array.isArray(forked) ? forked : [forked.stdout.toString().split(' ')[0], forked.run?.forkedFrom === run.id, forked.exitCode];
writeFileSync('word.mjs', 'export const word = "two";');
const replayed = await api.replay(run.id);
out.diverged = [replayed.report.verdict, replayed.exitCode, replayed.said.includes('word=two')];
const file = readdirSync('.replay/runs/' + run.id).find((name) => name.endsWith('.journal'));
appendFileSync('.replay/runs/' + run.id + '/' + file, 'x');
out.damaged = await tried(() => api.replay(run.id));
console.log(JSON.stringify(out));
`);
  const ran = await place.node(['errors.mjs'], { cwd: place.project, env: server.env });
  expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, '']);
  expect(JSON.parse(ran.stdout.toString())).toEqual({
    recorded: [true, 0, 0, 'complete'],
    unknown: ['RunNotFoundError', 'RUN_NOT_FOUND', true, expect.stringContaining('begins with "ffffffff"')],
    command: ['ConfigError', 'CONFIG', true, expect.stringContaining('cannot run no-such-program')],
    nothing: ['ConfigError', 'CONFIG', true, expect.stringContaining('nothing was recorded')],
    store: ['StoreUnavailableError', 'STORE_UNAVAILABLE', true, expect.stringContaining('is a file')],
    choice: ['ConfigError', 'CONFIG', true, expect.stringContaining('verify takes runs')],
    forked: ['503', true, 0],
    diverged: ['diverged', 3, true],
    damaged: ['IntegrityError', 'INTEGRITY', true, expect.any(String)],
  });
});

test('a wrong argument is named, with what it takes and what was given, before anything is started', async () => {
  const place = project();
  place.write('project/wrong.mjs', `import * as api from 'replay-harness/api';
const out = [];
const tried = async (what) => { try { out.push(await what() ?? null); } catch (error) { out.push([error.code, error.message]); } };
const { record, replay, fork, verify, openStore, assertReplays } = api;
for (const wrong of [
  () => record('node x'), () => record([]), () => record(['node'], { tags: ['a'] }), () => record(['node'], { tag: {} }), () => record(['node'], { cwd: '/nope' }), () => record(['node'], { env: { KEY: 'secret', PORT: 1 } }), () => record(['node'], null),
  () => replay(), () => replay('latest', { sandbox: 'none' }), () => replay('latest', { loose: 'yes' }), () => replay('latest', { store: '' }),
  () => fork('latest'), () => fork('latest', {}), () => fork('latest', { at: '3' }), () => fork('latest', { at: 3, set: { status: undefined } }), () => fork('latest', { swap: [1] }), () => fork('latest', { at: 3, live: '*' }),
  () => verify('latest'), () => verify(['latest'], { bogus: 1 }), () => verify([]), () => verify(['latest'], { all: true }), () => verify(['a.replay']),
  () => openStore(7), () => openStore().show(), () => openStore().diff('latest'), () => assertReplays(undefined), () => assertReplays('latest', { all: true }),
  () => openStore('/nope').runs(),
]) await tried(wrong);
console.log(JSON.stringify(out));
`);
  const ran = await place.node(['wrong.mjs'], { cwd: place.project });
  expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, '']);
  const command = "takes a list of a program and its arguments, like ['node', 'agent.js'], not";
  const run = 'takes a run: a full id, a unique prefix, or latest, not undefined.';
  const messages = [
    `record: command ${command} 'node x'.`, `record: command ${command} [].`, `record: options.tags takes an object of texts, like { suite: 'ci' }, with names that are not empty and have no "=", not [ 'a' ].`,
    'record: there is no option "tag". There are: store, name, agent, tags, cwd, env.', "record: options.cwd takes an existing folder, not '/nope'.", "record: options.env takes an object of texts, like { TZ: 'UTC' }, not PORT of type number.",
    'record: options takes an object with any of store, name, agent, tags, cwd, env, not null.',
    `replay: run ${run}`, "replay: options.sandbox takes 'auto', 'os' or 'process', not 'none'.", "replay: options.loose takes true or false, not 'yes'.", "replay: options.store takes a text that is not empty, not ''.",
    'fork: options takes an object with any of store, at, set, output, handlers, model, swap, live, agent, cwd, env, not undefined.', 'fork: options.at is missing: the number of the step from which on the program is left to itself. Only with options.swap it may be left out.',
    "fork: options.at takes the number of a step, not '3'.", 'fork: options.set takes an object of places and JSON values, like { status: 503 }, not { status: undefined }.', 'fork: options.swap takes two numbers of steps, like [126, 129], not [ 1 ].',
    "fork: options.live takes a list of patterns, like ['api.example.com/items/*'], not '*'.",
    "verify: names takes a list of runs, bundles and folders of bundles, not 'latest'.", 'verify: there is no option "bogus". There are: store, all, tags, command, loose, node, sandbox, update.',
    ...Array<string>(2).fill('verify takes runs or bundles in names, or options.all, or options.tags: one of them; options.tags may go with bundles.'),
    "verify: options.command is missing. What a bundle recorded of its command is not executed here: say where your copy of the program lies, like { command: ['node', 'agent.js'] }.",
    'openStore: location takes a folder or a postgres:// URL, not 7.', `show: selector ${run}`, `diff: other ${run}`,
    'assertReplays: recording takes a run (a full id, a unique prefix, or latest), a bundle, or a folder of bundles, not undefined.', 'assertReplays: there is no option "all". There are: store, command, loose, node, sandbox, update.',
  ];
  // A folder that is not there has no runs, as for `runs`.
  expect(JSON.parse(ran.stdout.toString())).toEqual([...messages.map((message) => ['CONFIG', message]), []]);
});

test('the matcher and the assertion: identical, then the divergence as replay prints it, then recorded anew', async () => {
  const place = project();
  const server = await testServer(place);
  const env = { ...server.env, CI: 'true', NO_COLOR: '1' };
  await place.cli(['record', '--', process.execPath, 'agent.mjs'], { cwd: place.project, env });
  const exported = await place.cli(['export', 'latest', '--output', 'recordings/refund.replay'], { cwd: place.project });
  expect(exported.exitCode, exported.stderr.toString()).toBe(0);
  place.write('project/refund.test.mjs', (EXAMPLES[1] as string).replace(/\n\}\);\n$/, '\n}, 60_000);\n'));
  place.write('project/by-node.mjs', EXAMPLES[2] as string);
  const withVitest = (...args: string[]): Promise<Execution> => place.node([join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: place.project, env });
  const withNode = (...args: string[]): Promise<Execution> => place.node(['--test', ...args, 'by-node.mjs'], { cwd: place.project, env });
  const both = ({ stdout, stderr }: Execution): string => `${stdout.toString()}${stderr.toString()}`;

  const [good, goodByNode] = await Promise.all([withVitest(), withNode()]);
  expect([good.exitCode, goodByNode.exitCode], both(good) + both(goodByNode)).toEqual([0, 0]);

  writeFileSync(join(place.project, 'word.mjs'), 'export const word = "two";\n');
  const [bad, badByNode] = await Promise.all([withVitest(), withNode()]);
  for (const execution of [bad, badByNode]) {
    expect(execution.exitCode).toBe(1);
    expect(both(execution)).toMatch(/recordings\/refund\.replay: replay-harness: diverged at step \d+ \(socket write, REPLAY_MISMATCH\)/);
    expect(both(execution)).toMatch(/first difference: url[^]*word=one[^]*word=two[^]*agent\.mjs:2/);
  }
  expect(server.requests).toHaveLength(1);

  const file = join(place.project, 'recordings/refund.replay');
  const before = readFileSync(file);
  const updated = NODE_MAJOR >= 22 ? await withNode('--test-update-snapshots') : await withVitest('-u');
  expect(updated.exitCode, both(updated)).toBe(0);
  expect(readFileSync(file).equals(before)).toBe(false);
  expect(server.requests).toHaveLength(2);
  const again = await withVitest();
  expect(again.exitCode, both(again)).toBe(0);
  expect(server.requests).toHaveLength(2);
});
