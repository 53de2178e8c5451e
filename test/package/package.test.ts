/** What a user gets and types: the packed tarball, installed into an empty folder. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Execution } from '../support/execute.ts';
import { ROOT } from '../support/paths.ts';
import { Installation, type Tarball } from './installation.ts';

const AGENT = `
console.log(new Date().toISOString(), Math.random(), crypto.randomUUID());
const response = await fetch(process.env.SERVER_URL);
console.log(response.status, await response.text());
`;
const COMMONJS_AGENT = `
const { randomBytes } = require('node:crypto');
require('node:http').get(process.env.SERVER_URL, (response) => response.pipe(process.stdout)).on('error', (error) => console.log(error.code));
setTimeout(() => console.log(Date.now(), randomBytes(8).toString('hex')), 20);
`;

const installation = new Installation();
let tarball: Tarball;
let server: Server;
let url = '';
let requests = 0;

beforeAll(async () => {
  tarball = await installation.pack();
  await installation.install(tarball);
  installation.write('agent.mjs', AGENT);
  installation.write('agent.cjs', COMMONJS_AGENT);
});

afterAll(() => installation.remove());

async function startServer(): Promise<void> {
  requests = 0;
  server = createServer((_, response) => response.end(`answer ${++requests} of ${Math.random()}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stopServer(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Records with the server up, replays with the server gone. */
async function roundTrip(program: string, args: readonly string[]): Promise<{ recorded: Execution; replayed: Execution }> {
  await startServer();
  const recorded = await installation.run(program, args, installation.project, { SERVER_URL: url });
  await stopServer();
  expect(requests).toBe(1);
  const replayed = await installation.run('npx', ['--offline', 'replay-harness', 'replay', 'latest']);
  return { recorded, replayed };
}

const own = (execution: Execution): string => String(execution.stderr);

test('the tarball holds the bundles, their declarations and the documents, and nothing else', () => {
  console.log(`${tarball.paths.length} files, ${(tarball.size / 1024).toFixed(0)} KB packed`);
  // Documents, and what the command line loads when it is asked for.
  const others = tarball.paths.filter((path) => !/^docs\/(decisions\/\d{4}-)?[a-z0-9-]+\.md$|^dist\/cli\/[\w-]+-[A-Z0-9]{8}\.[cm]js$|^dist\/types\/[\w/-]+\.d\.ts$/.test(path));
  expect(others).toEqual([
    'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/cli/api.mjs', 'dist/cli/load.mjs', 'dist/cli/main.mjs', 'dist/cli/vitest.mjs', 'dist/loader/debugger-thread.cjs', 'dist/loader/peer-thread.cjs', 'dist/loader/preload.cjs', 'dist/loader/preload.d.cts', 'dist/loader/record.cjs', 'dist/loader/register.d.mts',
    'dist/loader/register.mjs', 'dist/loader/replay.cjs', 'dist/loader/semantic-network.cjs', 'dist/loader/ship-thread.cjs', 'dist/loader/ship.cjs', 'dist/loader/stop.cjs', 'package.json', 'queries/empty-answers.sql', 'queries/failed-steps.sql', 'queries/models.sql', 'recipes/docker-network-none/Dockerfile', 'recipes/docker-network-none/replay.sh', 'recipes/systemd-nspawn/replay.sh', 'replay-harness.schema.json',
  ]);
  expect(tarball.size).toBeLessThan(1_500_000);
});

test('what the README and the documents link to is in the tarball; sources and tests are in the repository only', () => {
  const broken = tarball.paths.filter((path) => path.endsWith('.md')).flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
      .map(([, link]) => normalize(join(dirname(path), link as string)))
      .filter((link) => !/^(src|test)\//.test(link) && !tarball.paths.some((packed) => packed === link || (link.endsWith('/') && packed.startsWith(link))))
      .map((link) => `${path}: ${link}`));
  expect(broken).toEqual([]);
});

test('node --import replay-harness records, and says nothing', async () => {
  const { recorded, replayed } = await roundTrip('node', ['--import', 'replay-harness', 'agent.mjs']);
  expect(own(recorded)).toBe('');
  expect(String(recorded.stdout)).toContain('200 answer 1 of');
  expect(String(replayed.stdout)).toBe(String(recorded.stdout));
  expect(own(replayed)).toMatch(/^replay-harness: replayed [0-9a-f-]{36}: identical, \d+ events, 0 live calls\n$/);
  expect([recorded.exitCode, replayed.exitCode]).toEqual([0, 0]);
});

test('node -r replay-harness/require records CommonJS', async () => {
  const { recorded, replayed } = await roundTrip('node', ['-r', 'replay-harness/require', 'agent.cjs']);
  expect(String(recorded.stdout)).toContain('answer 1 of');
  expect(String(replayed.stdout)).toBe(String(recorded.stdout));
  expect(own(replayed)).toContain(': identical,');
});

test('npx replay-harness record -- node agent.mjs records, and says which run it was', async () => {
  const { recorded, replayed } = await roundTrip('npx', ['--offline', 'replay-harness', 'record', '--', 'node', 'agent.mjs']);
  const [, run] = /recorded ([0-9a-f-]{36}) \(complete, exit 0\)/.exec(own(recorded)) ?? [];
  expect(run).toBeDefined();
  expect(own(replayed)).toContain(`replayed ${run}: identical`);
  expect(String(replayed.stdout)).toBe(String(recorded.stdout));
});

test('recordings lie in .replay, which ignores itself', () => {
  expect(installation.has('.replay/.gitignore')).toBe(true);
});

test.each(['--help', '--version'])('npx replay-harness %s', async (flag) => {
  const { stdout, stderr, exitCode } = await installation.run('npx', ['--offline', 'replay-harness', flag]);
  expect(exitCode).toBe(0);
  expect(String(stderr)).toBe('');
  expect(String(stdout)).toContain(packageJson.version);
  if (flag === '--help') for (const verb of ['record', 'replay', 'runs', 'show', 'check', 'keys']) expect(String(stdout)).toContain(`  ${verb} `);
});

test('TypeScript finds the entries', async () => {
  installation.write('uses.mts', `import 'replay-harness';\nimport 'replay-harness/require';\nimport { type Report, replay } from 'replay-harness/api';\nimport { assertReplays } from 'replay-harness/vitest';\nexport const report: Report = (await replay('latest')).report;\nawait assertReplays('latest', { loose: true });\n// @ts-expect-error there is no such option\nawait replay('latest', { lose: true });\n`);
  const { exitCode, stdout } = await installation.run(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', '--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', 'uses.mts']);
  expect(String(stdout)).toBe('');
  expect(exitCode).toBe(0);
});

test('publint finds nothing', async () => {
  const { exitCode, stdout } = await installation.run(join(ROOT, 'node_modules/.bin/publint'), ['run', tarball.file, '--strict'], ROOT);
  expect(String(stdout)).toContain('All good!');
  expect(exitCode).toBe(0);
});

// node10 resolution and require() of the ESM entry are ignored: Node 20.20 needs neither, and CommonJS has its own entry.
test('are-the-types-wrong finds nothing', async () => {
  const { exitCode, stdout } = await installation.run(join(ROOT, 'node_modules/.bin/attw'), ['--profile', 'esm-only', '--no-emoji', tarball.file], ROOT);
  expect(exitCode, String(stdout)).toBe(0);
});
