/** Credentials that a program has from files and from answers: those of this machine leave, recorded ones never. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Forked, forkRun, type Step, stepsOf } from '../support/forks.ts';
import { Workspace } from '../support/workspace.ts';

const RECORDED = { dotenv: 'recorded-key-in-a-file-1', json: 'recorded-key-in-json-4f81', ini: 'recorded/password+9c0e2a', whole: 'tok_recorded7c1d5e90ab34' };
const LOCAL = { dotenv: 'key-of-this-machine-002', json: 'json "key" of this machine', ini: 'pass/word+of-this-machine', whole: 'tok_localaa7c1d5e90ab34ff' };

let workspace: Workspace;
let heard: string[];
let steps: readonly Step[];
let env: Readonly<Record<string, string>>;
let given = 0;

const server = createServer((request, response) => {
  void readText(request).then((body) => {
    const { authorization = '', cookie = '' } = request.headers;
    heard.push(`${request.url} ${authorization.startsWith('Basic ') ? atob(authorization.slice(6)) : authorization} ${cookie} ${body}`);
    if (request.url === '/token') response.end(`{"access_token":"tok_${'4f9a1c77d2e8'.repeat(2)}${++given}"}`);
    else response.setHeader('set-cookie', `sid=8c1f0b77aa41${given}`).end('{}');
  });
});

function writeFiles({ dotenv, json, ini, whole }: typeof RECORDED): void {
  workspace.write('.env', `# for services\nSERVICE_KEY=${dotenv}\nREGION=north-east\n`);
  workspace.write('credentials.json', JSON.stringify({ client: { name: 'me', api_key: json } }));
  workspace.write('credentials', `[other]\npassword = of-the-other-profile\n[default]\nuser = me\npassword = ${ini}\n`);
  mkdirSync(workspace.path('secrets'), { recursive: true });
  workspace.write('secrets/token', `${whole}\n`);
}

async function forkAt(path: string): Promise<Forked> {
  heard.length = 0;
  const fork = await forkRun(workspace, [workspace.runs()[0] as string, '--at', String(steps.find(({ name }) => name.includes(path))?.step), '--live', `${env['SERVER']}/*`, '--live', `POST ${env['SERVER']}/*`]);
  for (const recorded of Object.values(RECORDED)) expect(heard.join('\n') + fork.stderr).not.toContain(recorded);
  return fork;
}

beforeAll(async () => {
  heard = [];
  workspace = new Workspace();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  env = { SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  writeFiles(RECORDED);
  const agent = workspace.write('leaks.mjs', `
    import { readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    const dotenv = /SERVICE_KEY=(.*)/.exec(readFileSync('.env', 'utf8'))[1];
    const { client: { api_key: json } } = JSON.parse(await readFile('credentials.json', 'utf8'));
    const ini = /default[^]*password = (.*)/.exec(readFileSync('credentials', 'utf8'))[1];
    const whole = readFileSync(process.cwd() + '/secrets/token', 'utf8').trim();
    const ask = (path, options) => fetch(process.env.SERVER + path, options);
    const bearer = (text) => ({ headers: { authorization: 'Bearer ' + text } });
    await ask('/header', bearer(dotenv));
    await ask('/query?region=north-east&api_key=' + encodeURIComponent(ini));
    await ask('/body', { method: 'POST', body: JSON.stringify({ api_key: json, region: 'north-east' }) });
    await ask('/basic', { headers: { authorization: 'Basic ' + btoa('me:' + ini) } });
    await ask('/whole', bearer(whole));
    const { access_token: token } = await (await ask('/token', { method: 'POST' })).json();
    const [cookie] = (await ask('/granted', bearer(token))).headers.getSetCookie();
    await ask('/cookie', { headers: { cookie } });
    await ask('/link?access_token=' + token);
    await ask('/told', { method: 'POST', body: JSON.stringify({ refresh_token: token }) });
    console.log('done');`);
  expect(await workspace.record(agent, { env })).toMatchObject({ exitCode: 0 });
  expect(heard).toHaveLength(10);
  for (const recorded of [RECORDED.dotenv, RECORDED.json, RECORDED.ini, RECORDED.whole]) expect(decodeURIComponent(heard.join('\n'))).toContain(recorded);
  steps = await stepsOf(workspace);
});

afterAll(() => {
  server.close();
  workspace.remove();
});

it('this machine’s own take the place of those that the program read from files, and what the world answers in the fork may be used', async () => {
  writeFiles(LOCAL);
  const fork = await forkAt('/header');
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: 'done\n', report: { verdict: 'identical', liveCalls: 10 } });
  expect(heard.slice(0, 5)).toEqual([
    `/header Bearer ${LOCAL.dotenv}  `, `/query?region=north-east&api_key=${encodeURIComponent(LOCAL.ini)}   `, `/body   ${JSON.stringify({ api_key: LOCAL.json, region: 'north-east' })}`,
    `/basic me:${LOCAL.ini}  `, `/whole Bearer ${LOCAL.whole}  `,
  ]);
  expect(heard[6]).toMatch(/^\/granted Bearer tok_\w+2 /);
  expect(heard[7]).toMatch(/^\/cookie {2}sid=\w+2 /);
  const replayed = await workspace.replay(fork.report?.runId);
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
});

it('what was answered before the fork began leaves in no place of a request', async () => {
  for (const [path, named] of [['/granted', /its header authorization/], ['/cookie', /its header cookie/], ['/link', /its URL/], ['/told', /its body/]] as const) {
    const fork = await forkAt(path);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 6, stdout: '', report: { verdict: 'blocked', blocked: [expect.stringMatching(named)] } });
    expect(fork.stderr).not.toMatch(/can be allowed/);
    expect(heard).toEqual([]);
  }
});

it('a fork stops and names what this machine lacks', async () => {
  workspace.take('.env');
  workspace.write('credentials.json', '{"client":{"name":"me"}}');
  workspace.write('credentials', '[other]\npassword = of-the-other-profile\n');
  for (const [path, named] of [['/header', /needs SERVICE_KEY of .*Put SERVICE_KEY into \.env$/], ['/body', /needs client\.api_key of credentials\.json/], ['/basic', /needs default\.password of credentials/]] as const) {
    const fork = await forkAt(path);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 6, stdout: '', report: { blocked: [expect.stringMatching(named)] } });
    expect(fork.stderr).not.toMatch(/can be allowed/);
    expect(heard).toEqual([]);
  }
});
