/** Sessions of Redis in forks: refused, or where --live names the server begun anew, introduced as they were, with this machine's own password. */
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { redis } from '../support/databases/index.ts';
import { relayTo } from '../support/databases/relay.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { type Forked, forkRun, stepsOf } from '../support/forks.ts';
import { PACKAGES, TLS } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const OWN = 'of this machine alone';

itNeeds(['redis'], 'a session goes on where it is named, introduced anew; the recorded password never comes to the server', { timeout: 300_000 }, async () => {
  const server = await redis();
  server.command('flushall');
  const { REDIS_URL: direct = '', REDIS_PORT: port = '', REDIS_PASSWORD: password = '' } = server.env;
  await using relay = await relayTo(Number(port));
  const url = direct.replace(`:${port}`, `:${relay.port}`);
  const workspace = testWorkspace();
  const recorded = await workspace.record(join(PACKAGES, 'agents/redis-fork.mjs'), { env: { REDIS_URL: url } });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0 });
  expect(relay.sent().toString('latin1')).toContain(password);
  const before = relay.sent().length;
  const steps = await stepsOf(workspace);
  const stepOf = (name: string, place = 0): number => steps.filter((step) => step.name === name)[place]?.step ?? -1;
  const [run] = workspace.runs() as [string];
  const named = `redis://127.0.0.1:${relay.port}`;
  const here = { REDIS_URL: url.replace(password, encodeURIComponent(OWN)) };
  const forkAt = (step: number, live: readonly string[] = ['--live', named], env: Readonly<Record<string, string>> = here): Promise<Forked> => forkRun(workspace, [run, '--at', String(step), ...live], env);
  server.changePassword(OWN);
  onTestFinished(() => server.changePassword(password));
  server.command('acl', 'log', 'reset');
  const asItIsHere = (): void => {
    server.command('-n', '2', 'mset', 'greeting', 'from here', 'n', '41');
    server.command('-n', '2', 'del', 'user');
  };

  asItIsHere();
  const refused = await forkAt(stepOf('redis GET greeting'), []);
  expect(refused, refused.stderr).toMatchObject({ exitCode: 6, report: { verdict: 'blocked', blocked: [`a Redis session with 127.0.0.1:${relay.port}. --live ${named} lets it go on, logged in anew`] } });
  expect(relay.sent().length).toBe(before);

  const outputs = (open: string, several: unknown, transaction: unknown): string[] => [
    'set "OK"', `open ${JSON.stringify(open)}`, `several ${JSON.stringify(several)}`, 'name "redis-fork"', `transaction ${JSON.stringify(transaction)}`,
    'began 2', 'map {"name":"Ana","age":"30"}', 'login "OK"', 'queued "QUEUED"', 'exec [[null,"from here"]]', 'subscribed 1', 'heard by 1', 'message ["news","hello"]', 'subscribed 2', '',
  ];
  const fork = await forkAt(stepOf('redis GET greeting'));
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
  expect(fork.stderr).toContain(`exit 0, ${fork.report?.liveCalls} live calls\n`);
  expect(fork.stdout.split('\n')).toEqual(outputs('from here', [42, '42', ['from here', null]], [[null, 43], [null, '43']]));
  for (const call of ['GET greeting', 'MGET greeting none', 'HELLO 3 AUTH default [masked]', 'AUTH default [masked]']) expect(fork.stderr).toContain(`  live: ${named} ${call}\n`);
  const replayed = await workspace.replay(fork.report?.runId);
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(fork.stdout);

  // Amid commands that are under way, with answers in pieces.
  asItIsHere();
  relay.cuts = true;
  const amid = await forkAt(stepOf('redis GET n'));
  expect(amid, amid.stderr).toMatchObject({ exitCode: 0 });
  expect(amid.stdout.split('\n')).toEqual(outputs('hello', [1, '41', ['from here', null]], [[null, 42], [null, '42']]));

  // A session in the newer protocol, which had introduced itself by HELLO.
  server.command('-n', '2', 'hset', 'user', 'name', 'Bo');
  const newer = await forkAt(stepOf('redis HGETALL user'));
  expect(newer, newer.stderr).toMatchObject({ exitCode: 0 });
  expect(newer.stdout).toContain('map {"name":"Bo","age":"30"}\nlogin "OK"\n');

  const bound = await forkAt(stepOf('redis GET greeting', 1));
  expect(bound, bound.stderr).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/with an open transaction \(MULTI\), which a new connection does not have/)] } });
  const locked = await forkAt(stepOf('redis GET greeting'), undefined, {});
  expect(locked, locked.stderr).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/the recorded password does not leave, and this machine has no other/)] } });
  expect(relay.sent().subarray(before).toString('latin1')).not.toContain(password);
  expect(server.command('acl', 'log')).toBe('');
});

itNeeds(['redis'], 'over TLS a session goes on over TLS, with a server that this machine trusts', {}, async () => {
  const server = await redis();
  server.command('flushall');
  const { REDIS_URL: direct = '', REDIS_PORT: port = '' } = server.env;
  await using relay = await relayTo(Number(port), { secure: true });
  const env = { REDIS_URL: direct.replace(/^redis/, 'rediss').replace(`127.0.0.1:${port}`, `localhost:${relay.port}`), NODE_EXTRA_CA_CERTS: join(TLS, 'certificate.pem') };
  const workspace = testWorkspace();
  const recorded = await workspace.record(join(PACKAGES, 'agents/redis-fork.mjs'), { env });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0 });
  const step = (await stepsOf(workspace)).find(({ name }) => name === 'redis GET greeting')?.step;
  const live = ['latest', '--at', String(step), '--live', `rediss://localhost:${relay.port}`];
  server.command('-n', '2', 'set', 'greeting', 'from here');
  const fork = await forkRun(workspace, live, env);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
  expect(fork.stdout).toMatch(/^set "OK"\nopen "from here"\n[^]*\nmap \{"name":"Ana","age":"30"\}\n[^]*\nsubscribed 2\n$/);
  const stranger = await forkRun(workspace, live, { REDIS_URL: env.REDIS_URL });
  expect(stranger, stranger.stderr).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/a Redis session with \S+: the new login failed: .*certificate/)] } });
});
