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

test('the matcher and the assertion: identical, then the divergence as replay prints it, then recorded anew', async () => {
  const place = project();
  const server = await testServer(place);
  const env = { ...server.env, CI: 'true', NO_COLOR: '1' };
  await place.cli(['record', '--', process.execPath, 'agent.mjs'], { cwd: place.project, env });
  mkdirSync(join(place.project, 'recordings'));
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
