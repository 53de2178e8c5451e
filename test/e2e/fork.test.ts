/** Forks: the recorded program up to a step, and from there another answer, or the world, as far as it was allowed in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/paths.ts';
import { forkRun, type Step, stepsOf } from '../support/forks.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Harnessed, Workspace } from '../support/workspace.ts';

/** What reached the world. */
interface World {
  readonly env: Readonly<Record<string, string>>;
  /** `METHOD path authorization`, by server. */
  readonly asked: string[];
  readonly askedElsewhere: string[];
  readonly connections: string[];
}

async function listen(server: Server | ReturnType<typeof createTcpServer>, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}

async function world(): Promise<World> {
  const found: Omit<World, 'env'> = { asked: [], askedElsewhere: [], connections: [] };
  const other = await listen(createServer((request, response) => {
    found.askedElsewhere.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.end('{"from":"elsewhere"}');
  }));
  const main = await listen(createServer((request, response) => {
    found.asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    if (request.url === '/moved') response.writeHead(302, { location: `http://127.0.0.1:${other}/items` }).end();
    else response.setHeader('content-type', 'application/json').end(request.url === '/question' ? `{"may":"nothing","id":${found.asked.length}}` : '{"items":[]}');
  }));
  const tcp = await listen(createTcpServer((socket) => {
    found.connections.push('opened');
    socket.on('data', (bytes) => found.connections.push(bytes.toString('latin1')));
    socket.write('220 mail.example.com\r\n');
  }));
  return { ...found, env: { SERVER: `http://127.0.0.1:${main}`, OTHER: `http://127.0.0.1:${other}`, PORT: String(tcp), SERVICE_KEY: 'recorded-key-0001' } };
}

interface Asked {
  readonly workspace: Workspace;
  readonly world: World;
  readonly recorded: Harnessed;
  readonly question: string;
}

/** A run that asked what it may do, and heard: nothing. */
async function recordQuestion(): Promise<Asked> {
  const workspace = testWorkspace();
  const around = await world();
  const recorded = await workspace.record('fork/acts.mjs', { env: around.env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  around.asked.length = 0;
  return { workspace, world: around, recorded, question: String((await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step) };
}

const LOCAL = { SERVICE_KEY: 'local-key-0002' };

describe('another answer', () => {
  it('changes what follows and nothing else; the fork is a run, which replays and can be forked', async () => {
    const { workspace, world: around, recorded, question } = await recordQuestion();
    const [id] = workspace.runs();
    const fork = await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="read"', '--live', `${around.env['SERVER']}/items`], LOCAL);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical', forkedFrom: id, liveCalls: 1, exitCode: 0 } });
    expect(fork.stdout).toMatch(/^may read \d+\noutcome 200 \{"items":\[\]\} true\n$/);
    // Chance goes on as it would have.
    expect(/\d+\n/.exec(fork.stdout)?.[0]).toBe(/\d+\n/.exec(recorded.stdout.toString())?.[0]);
    expect(fork.stderr).toMatch(new RegExp(`forked ${id} at step ${question} as .*exit 0, 1 live call\n  live: GET ${around.env['SERVER']}/items\n$`));
    expect(around).toMatchObject({ asked: ['GET /items Bearer local-key-0002'], askedElsewhere: [], connections: [] });

    const run = fork.report?.runId as string;
    const listed = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as { id: string; forkedFrom: string | null; status: string; exitCode: number }[];
    expect(listed.find((entry) => entry.id === run)).toMatchObject({ forkedFrom: id, status: 'complete', exitCode: 0 });
    expect((await workspace.cli(['check', run])).exitCode).toBe(0);
    const replayed = await workspace.replay(run);
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString()).toBe(fork.stdout);

    const second = (await stepsOf(workspace, run)).filter(({ boundary }) => boundary === 'http')[1]?.step;
    const again = await forkRun(workspace, [run, '--at', String(second), '--set', 'status=503'], LOCAL);
    expect(again, again.stderr).toMatchObject({ exitCode: 0, report: { forkedFrom: run, liveCalls: 0 } });
    expect(again.stdout).toMatch(/outcome 503 \{"items":\[\]\}/);
    expect((await workspace.replay(again.report?.runId)).stdout.toString()).toBe(again.stdout);
    expect(around.asked).toHaveLength(1);
  });

  it('comes from a file, too', async () => {
    const { workspace, question } = await recordQuestion();
    const fork = await forkRun(workspace, ['latest', '--at', question, '--output', workspace.write('answer.json', '{"may":"nothing","more":["added"]}')]);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { liveCalls: 0 } });
    expect(fork.stdout).toMatch(/^may nothing/);
  });

  it('can be what was asked for once more: then the recording answers', async () => {
    const { workspace, world: around, question } = await recordQuestion();
    const fork = await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="again"']);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { liveCalls: 0 } });
    expect(fork.stdout).toMatch(/outcome 200 \{"may":"nothing","id":1\}/);
    expect(around.asked).toEqual([]);
  });
});

describe('side effects', () => {
  const forbidden = {
    model: /POST http\S+\/v1\/chat\/completions/, lookalike: /GET http\S+\/items-delete/, order: /POST http\S+\/items/, overriding: /GET http\S+\/items/, carrying: /GET http\S+\/items/, pipelined: /POST http\S+\/items/, http2: /HTTP\/2/, elsewhere: /GET http\S+\/items/, redirected: /GET http\S+\/items/, mail: /waits for the server to speak first/, sql: /a PostgreSQL session with 127/, sqlByName: /a PostgreSQL session with database\.example:\d+\. --live postgres:\/\/database\.example:/, name: /a DNS getaddrinfo database\.example/,
    file: /fs\.\w+ \S*acted\.txt|a write of 5 bytes/, fileLater: /fs\.\w+ \S*acted\.txt|a write of 5 bytes/, child: /the child process touch acted\.txt/, childAtOnce: /the child process touch acted\.txt/,
  };
  /** Asked for real before what is refused. */
  const allowed = { redirected: 'GET /moved Bearer local-key-0002', pipelined: 'GET /items Bearer local-key-0002' };
  it('are refused by name, and do not happen', async () => {
    const { workspace, world: around, question } = await recordQuestion();
    for (const [act, named] of Object.entries(forbidden)) {
      const live = ['items', 'moved'].flatMap((path) => ['--live', `${around.env['SERVER']}/${path}`]);
      const fork = await forkRun(workspace, ['latest', '--at', question, '--set', `body.may="${act}"`, ...live], LOCAL);
      expect(fork, fork.stderr).toMatchObject({ exitCode: 6, report: { verdict: 'blocked', blocked: [expect.stringMatching(named)] } });
      expect(fork.stderr).toMatch(named);
      expect(fork.stdout).toMatch(new RegExp(`^may ${act} `));
      expect(around).toMatchObject({ asked: act in allowed ? [allowed[act as keyof typeof allowed]] : [], askedElsewhere: [], connections: [] });
      expect(existsSync(workspace.path('acted.txt'))).toBe(false);
      around.asked.length = 0;
    }
  }, 400_000);

  it('are told of wherever the fork is: in listings, shown and replayed', async () => {
    const { workspace, question } = await recordQuestion();
    const [id] = workspace.runs();
    const fork = await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="child"']);
    const run = fork.report?.runId as string;
    expect(fork.stderr).toMatch(/refused the child process touch acted\.txt/);
    const said = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await workspace.cli(args);
      return `${stdout.toString()}${stderr.toString()}`;
    };
    const [table, tree, json, shown, replayed, doctor] = await Promise.all([said('runs'), said('runs', '--tree'), said('runs', '--json'), said('show', run), said('replay', run), said('doctor', run)]);
    for (const [text, branch] of [[table, ''], [tree, '└ ']] as const) {
      expect(text).toMatch(/^RUN .* FORK OF +AGENT/);
      expect(text).toMatch(new RegExp(`^${branch}${run} .* refused +- .* ${id?.slice(0, 13)} at ${question} `, 'm'));
      expect(text).toMatch(new RegExp(`^${id} .* complete +0 .* - +\\S+ `, 'm'));
    }
    expect(tree.indexOf(run)).toBeGreaterThan(tree.indexOf(id as string));
    // Anybody can read it, so it says no more than which program.
    const fact = { at: Number(question), refused: ['the child process touch'] };
    expect((JSON.parse(json) as { id: string }[]).find((one) => one.id === run)).toMatchObject({ forkedFrom: id, status: 'truncated', fork: fact });
    expect(shown).toMatch(/fork stopped · refused the child process touch  /);
    expect(shown).toContain(`forked from ${id} at step ${question}\n`);
    expect(replayed).toMatch(/to its last event \(\d+\): there the fork was stopped, since it was refused the child process touch\n/);
    expect(doctor).toMatch(/it is a fork, which was stopped since it was refused the child process touch/);
  });

  it('reach no other process by a signal, also where only the guards in the process confine it', async () => {
    const workspace = testWorkspace();
    const { env } = await world();
    const victim = spawn('sleep', ['600']);
    onTestFinished(() => void victim.kill('SIGKILL'));
    await workspace.record('fork/acts.mjs', { env: { ...env, VICTIM: String(victim.pid) } });
    const question = String((await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step);
    const fork = await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="signal"', '--sandbox', 'process']);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 6, report: { verdict: 'blocked', blocked: [expect.stringMatching(/a signal to another process/)] } });
    expect([victim.exitCode, victim.signalCode]).toEqual([null, null]);
  });

  it('are allowed by the configuration, too', async () => {
    const { workspace, world: around, question } = await recordQuestion();
    workspace.write('replay-harness.json', JSON.stringify({ tools: { [`${around.env['SERVER']}/items`]: 'read-only', [`POST ${around.env['SERVER']}/items`]: 'side-effect' } }));
    expect(await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="read"'], LOCAL)).toMatchObject({ exitCode: 0, report: { liveCalls: 1 } });
    expect(await forkRun(workspace, ['latest', '--at', question, '--set', 'body.may="order"'], LOCAL)).toMatchObject({ exitCode: 6 });
    expect(around.asked).toEqual(['GET /items Bearer local-key-0002']);
  });
});

describe('credentials', () => {
  it('are those of this machine, for the recorded host only; a recorded one never leaves', async () => {
    const { workspace, world: around, question } = await recordQuestion();
    const args = (act: string): string[] => ['latest', '--at', question, '--set', `body.may="${act}"`, '--live', `${around.env['SERVER']}/items`, '--live', `${around.env['OTHER']}/items`];
    const missing = await forkRun(workspace, args('read'));
    expect(missing).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/Set SERVICE_KEY/)] } });
    expect(await forkRun(workspace, args('tell'), LOCAL)).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/SERVICE_KEY, which was never sent to that host/)] } });
    expect(around).toMatchObject({ asked: [], askedElsewhere: [] });
    expect(await forkRun(workspace, args('read'), LOCAL)).toMatchObject({ exitCode: 0 });
    expect(await forkRun(workspace, args('elsewhere'), LOCAL)).toMatchObject({ exitCode: 0 });
    expect(around).toMatchObject({ asked: ['GET /items Bearer local-key-0002'], askedElsewhere: ['GET /items '] });
    expect(JSON.stringify(around.asked)).not.toContain('recorded-key');
  });
});

it('a key that the program read from a file leaves in no place of a request to a host that it was not sent to', async () => {
  const workspace = testWorkspace();
  const { asked, env } = await world();
  workspace.write('.env', 'API_KEY=dotenv-key-000000001\n');
  const agent = workspace.write('dotenv.mjs', `
    import { readFileSync } from 'node:fs';
    const { SERVER } = process.env;
    const key = readFileSync('.env', 'utf8').trim().split('=')[1];
    const { id } = await (await fetch(SERVER + '/question')).json();
    if (id === 'query') await fetch(SERVER + '/items?api_key=' + key);
    if (id === 'body') await fetch(SERVER + '/items', { method: 'POST', body: JSON.stringify({ api_key: key }) });
    if (id === 'header') await fetch(SERVER + '/items', { headers: { 'x-other': key } });
    console.log(id);`);
  expect(await workspace.record(agent, { env })).toMatchObject({ exitCode: 0 });
  asked.length = 0;
  const question = (await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step;
  for (const place of ['query', 'body', 'header']) {
    const fork = await forkRun(workspace, ['latest', '--at', String(question), '--set', `body.id="${place}"`, '--live', `${env['SERVER']}/items`, '--live', `POST ${env['SERVER']}/items`]);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 6, stdout: '', report: { verdict: 'blocked', blocked: [expect.stringMatching(/holds the recorded API_KEY of \.env, which was never sent to that host/)] } });
    expect(fork.stderr).not.toMatch(/dotenv-key|can be allowed/);
  }
  expect(asked).toEqual([]);
});

it('a descriptor stands for the file that was opened, whatever number it had', async () => {
  const workspace = testWorkspace();
  const { env } = await world();
  for (const name of ['first', 'second', 'third']) workspace.write(`${name}.txt`, `content of ${name}`);
  const agent = workspace.write('reads.mjs', `
    import { open } from 'node:fs/promises';
    // Each call of its own, on every Node version.
    const readFile = async (name) => {
      const file = await open(name);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, null);
      await file.close();
      return buffer.toString('utf8', 0, bytesRead);
    };
    const { id } = await (await fetch(process.env.SERVER + '/question')).json();
    const names = id === 'together' ? ['second', 'first'] : typeof id === 'string' ? id.split(',') : ['first', 'second', 'third'];
    if (id === 'together') console.log(await Promise.all(names.map((name) => readFile(name + '.txt'))));
    else for (const name of names) console.log(name, await readFile(name + '.txt'));`);
  await workspace.record(agent, { env });
  const question = String((await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step);
  const fork = await forkRun(workspace, ['latest', '--at', question, '--set', 'body.id="third,first,second"']);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: 'third content of third\nfirst content of first\nsecond content of second\n' });
  expect((await workspace.replay(fork.report?.runId)).stdout.toString()).toBe(fork.stdout);
  // Two files that had one number, one after the other, cannot be open together.
  expect(await forkRun(workspace, ['latest', '--at', question, '--set', 'body.id="together"'])).toMatchObject({ exitCode: 6, stdout: '', report: { blocked: [expect.stringMatching(/first\.txt/)] } });
});

it('says clearly what cannot be forked', async () => {
  const { workspace, question } = await recordQuestion();
  const steps = await stepsOf(workspace);
  const said = async (...args: string[]): Promise<string> => {
    const fork = await forkRun(workspace, ['latest', ...args]);
    expect(fork).toMatchObject({ exitCode: 2, stdout: '', report: undefined });
    return fork.stderr;
  };
  expect(await said()).toMatch(/needs --at N/);
  expect(await said('--at', String((steps.at(-1)?.step as number) + 1))).toMatch(/ends before that/);
  expect(await said('--at', 'x')).toMatch(/takes the number of a step/);
  expect(await said('--at', question, '--set', 'body.nowhere=1')).toMatch(/--set body\.nowhere: the answer of step \d+ has nothing there/);
  expect(await said('--at', question, '--set', 'body.may=read')).toMatch(/is not JSON/);
  expect(await said('--at', String(steps.find(({ boundary }) => boundary === 'stdout')?.step), '--set', 'body.may=1')).toMatch(/only the answer of an HTTP exchange/);
  expect(await said('--at', question, '--output', 'nowhere.json')).toMatch(/no such file/);
  expect(workspace.runs()).toHaveLength(1);
});

it.each(['sse-fetch.mjs', 'parallel-fetch.mjs'])('%s goes on live from its first step, its last, and in the middle of streams, and each fork replays', async (agent) => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const recorded = await workspace.record(agent, { env: server.env });
  const steps = await stepsOf(workspace);
  const requests = steps.filter(({ boundary }) => boundary === 'http');
  const middle = steps.find(({ step }) => step > (requests.at(-1)?.step as number)) as Step;
  for (const { step } of [steps[0] as Step, requests.at(-1) as Step, middle, steps.at(-1) as Step]) {
    const fork = await forkRun(workspace, [workspace.runs()[0] as string, '--at', String(step), '--live', `${server.url}/**`, '--live', `POST ${server.url}/**`], server.env);
    expect(fork, fork.stderr).toMatchObject({ exitCode: recorded.exitCode, report: { verdict: 'identical' } });
    const replayed = await workspace.replay(fork.report?.runId);
    expect(replayed.report, `fork at ${step}: ${replayed.stderr.toString()}`).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString()).toBe(fork.stdout);
  }
});

it('goes on from a recording that was cut off', async () => {
  const workspace = testWorkspace();
  const { env } = await world();
  const agent = workspace.write('cut.mjs', "const { may } = await (await fetch(`${process.env.SERVER}/question`)).json();\nconsole.log(may);\nif (may === 'nothing') process.kill(process.pid, 'SIGKILL');\nconsole.log('went on');\n");
  await workspace.record(agent, { env });
  const question = (await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step;
  const fork = await forkRun(workspace, ['latest', '--at', String(question), '--set', 'body.may="live"']);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: 'live\nwent on\n' });
});

it('rates the contract high when the register knows the clause', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const env = { ANTHROPIC_BASE_URL: server.env['MODEL_URL'] as string, ANTHROPIC_API_KEY: 'sk-ant-recorded' };
  const recorded = await workspace.record(join(ROOT, 'samples/contract-risk/agent.mjs'), { env });
  expect(recorded.stdout.toString()).toMatch(/risk: low/);
  const lookup = (await stepsOf(workspace)).find(({ boundary, name }) => boundary === 'http' && name.includes('/compliance/'))?.step;
  const entry = '[{"code":"GB","clause":"retention of title","risk":"high","note":"contested in insolvency"}]';
  const fork = await forkRun(workspace, ['latest', '--at', String(lookup), '--set', `body.entries=${entry}`], { ANTHROPIC_API_KEY: 'sk-ant-local' });
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
  expect(fork.stdout).toMatch(/risk: high/);
  await server.stop();
  const replayed = await workspace.replay(fork.report?.runId);
  expect(replayed.report).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(fork.stdout);
});
