import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Execution } from '../support/execute.ts';
import { ownText } from '../support/own-lines.ts';
import { PRELOAD } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

/** What goes wrong: one paragraph on stderr, the contract's exit code, no stack of ours, nothing on stdout. */
function expectRefusal({ exitCode, stdout, stderr }: Execution, code: number, ...says: RegExp[]): void {
  const message = stderr.toString();
  expect({ exitCode, message }).toEqual({ exitCode: code, message });
  expect(message).toMatch(/^replay-harness: /);
  expect(message).not.toMatch(/\n\s+at |node:internal/);
  for (const words of says) expect(message).toMatch(words);
  expect(stdout.toString()).toBe('');
}

async function withRecording(): Promise<{ workspace: Workspace; agent: string; run: string; journal: string }> {
  const workspace = testWorkspace();
  const agent = workspace.write('agent.mjs', 'for (let i = 0; i < 30; i++) { await new Promise((resolve) => setTimeout(resolve, 1)); console.log(i, Date.now()); }\n');
  expect((await workspace.record(agent)).exitCode).toBe(0);
  const run = workspace.runs()[0] as string;
  return { workspace, agent, run, journal: `${workspace.store}/runs/${run}/lane-0.0000.journal` };
}

it('a run that is larger than the heap is named, and listed all the same', async () => {
  const workspace = testWorkspace();
  await workspace.record(workspace.write('agent.mjs', "for (let i = 0; i < 40; i++) process.stdout.write(`${'x'.repeat(1e6)}\\n`);"));
  const [run] = workspace.runs();
  const env = { NODE_OPTIONS: '--max-old-space-size=32' };
  expectRefusal(await workspace.cli(['show', 'latest'], { env }), 1, new RegExp(`Run ${run} has 3\\d MB of recorded data`), /--max-old-space-size=1\d\d /);
  const { exitCode, stdout } = await workspace.cli(['runs'], { env });
  expect({ exitCode, text: stdout.toString() }).toEqual({ exitCode: 0, text: expect.stringMatching(new RegExp(`${run} .* complete .*or too large: show says which\n$`)) as string });
});

describe('which run', () => {
  it('an unknown one', async () => {
    const { workspace } = await withRecording();
    for (const verb of ['replay', 'show', 'check']) expectRefusal(await workspace.cli([verb, 'ffff']), 2, /ffff/, /replay-harness runs/);
  });

  it('an ambiguous prefix: the candidates are named', async () => {
    const { workspace, agent, run } = await withRecording();
    await workspace.record(agent);
    for (const verb of ['replay', 'show', 'check']) expectRefusal(await workspace.cli([verb, '0']), 2, /ambiguous/, new RegExp(run), new RegExp(workspace.runs()[1] as string));
    expect((await workspace.replay(run.slice(0, -1))).report?.runId).toBe(run);
  });

  it('none, in an empty store or one that is not there', async () => {
    const workspace = testWorkspace();
    for (const store of ['absent', '.']) {
      for (const verb of ['replay', 'show', 'check']) expectRefusal(await workspace.cli([verb, 'latest', '--store', store]), 2, /no run/i);
      expect(await workspace.cli(['runs', '--store', store])).toMatchObject({ exitCode: 0 });
      expect((await workspace.cli(['runs', '--json', '--store', store])).stdout.toString()).toBe('[]\n');
    }
  });

  it('none given, or two', async () => {
    const { workspace } = await withRecording();
    expectRefusal(await workspace.cli(['replay']), 2, /one run/);
    expectRefusal(await workspace.cli(['show', 'latest', 'latest']), 2, /one run/);
    expectRefusal(await workspace.cli(['show', 'latest', '--step', '999999']), 2, /no step 999999/);
    expectRefusal(await workspace.record('empty.mjs', { env: { REPLAY_HARNESS_MODE: 'replay' } }), 2, /REPLAY_HARNESS_RUN/);
  });
});

describe('integrity', () => {
  it('a flipped byte, wherever it is: check, replay and show name the event', async () => {
    const { workspace, journal } = await withRecording();
    const whole = readFileSync(journal);
    const headLength = 14 + whole.readUInt32LE(10);
    for (const part of [0, 0.2, 0.5, 0.8, 0.97, 1]) {
      const damaged = Buffer.from(whole);
      const at = headLength + Math.floor((whole.length - headLength - 1) * part);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      writeFileSync(journal, damaged);
      const check = await workspace.cli(['check', 'latest']);
      expect(check, `byte ${at}`).toMatchObject({ exitCode: 4 });
      expect(check.stdout.toString()).toMatch(/DAMAGED.*event \d+/s);
      expectRefusal(await workspace.cli(['replay', 'latest']), 4, /event \d+/);
      expectRefusal(await workspace.cli(['show', 'latest']), 4, /event \d+/);
    }
    writeFileSync(journal, whole);
    expect((await workspace.cli(['check', '--all'])).exitCode).toBe(0);
  });

  it('a damaged header', async () => {
    const { workspace, journal } = await withRecording();
    const damaged = readFileSync(journal);
    for (const at of [20, 60, 120]) damaged[at] = (damaged[at] as number) ^ 1;
    writeFileSync(journal, damaged);
    expectRefusal(await workspace.cli(['replay', 'latest']), 4, /lane-0\.0000\.journal/);
  });

  it('a sealed journal that was cut, and one that is gone', async () => {
    const { workspace, journal } = await withRecording();
    const whole = readFileSync(journal);
    writeFileSync(journal, whole.subarray(0, whole.length - 60));
    expectRefusal(await workspace.cli(['replay', 'latest']), 4);
    rmSync(journal);
    expectRefusal(await workspace.cli(['replay', 'latest']), 4, /journal/);
    expect((await workspace.cli(['check', '--all'])).exitCode).toBe(4);
  });

  it('a foreign file in its place', async () => {
    const { workspace, journal } = await withRecording();
    for (const content of ['', 'x', 'not a journal at all, but some text that somebody saved here'.repeat(20)]) {
      writeFileSync(journal, content);
      expectRefusal(await workspace.cli(['replay', 'latest']), 4, /not a replay-harness journal/);
    }
  });

  it('a journal of another run in its place', async () => {
    const { workspace, agent, journal } = await withRecording();
    await workspace.record(agent);
    const other = journal.replace(workspace.runs()[0] as string, workspace.runs()[1] as string);
    renameSync(journal, other);
    expectRefusal(await workspace.cli(['replay', 'latest']), 4, /belongs to run/);
  });

  it('a newer format: says which, and what to do', async () => {
    const { workspace, journal } = await withRecording();
    const newer = readFileSync(journal);
    newer.writeUInt16LE(999, newer.indexOf(0x7b) - 6);
    writeFileSync(journal, newer);
    expectRefusal(await workspace.cli(['replay', 'latest']), 4, /format 999/, /[Uu]pdate/);
  });

  it('a manifest that was deleted: check, replay and runs say so, and the other runs are listed', async () => {
    const { workspace, agent, run } = await withRecording();
    await workspace.record(agent);
    const other = workspace.runs()[1] as string;
    const manifest = `${workspace.store}/runs/${run}/manifest.json`;
    rmSync(manifest);
    for (const verb of ['check', 'replay', 'show']) expectRefusal(await workspace.cli([verb, run]), 4, /manifest\.json is missing/);
    const all = await workspace.cli(['check', '--all']);
    expect(all.exitCode).toBe(4);
    expect(all.stdout.toString()).toMatch(new RegExp(`${run}  DAMAGED: [^\n]*manifest\\.json`));
    expect(all.stdout.toString()).toMatch(new RegExp(`${other}  ok \\(complete\\)`));
    const listed = await workspace.cli(['runs']);
    expect(listed.exitCode).toBe(4);
    expect(listed.stdout.toString()).toMatch(new RegExp(`${other} .* complete `));
    expect(listed.stderr.toString()).toMatch(/^replay-harness: [^\n]*manifest\.json is missing[^\n]*\n$/);
    mkdirSync(manifest);
    expectRefusal(await workspace.cli(['check', run]), 4, /manifest\.json cannot be read/);
  });

  it('a manifest that is no JSON', async () => {
    const { workspace, run } = await withRecording();
    writeFileSync(`${workspace.store}/runs/${run}/manifest.json`, '{"format":1,');
    expectRefusal(await workspace.cli(['replay', run]), 4, /manifest\.json/);
  });
});

describe('keys', () => {
  it('an identity that does not exist, is no key, is a folder, or whose command fails', async () => {
    const { workspace } = await withRecording();
    mkdirSync(workspace.path('folder'));
    const given = { [workspace.path('absent')]: /does not exist/, [workspace.write('junk', 'junk\n')]: /no private key/, [workspace.path('folder')]: /folder/, 'cmd:false': /command/ };
    for (const [identity, says] of Object.entries(given)) {
      expectRefusal(await workspace.cli(['replay', 'latest'], { env: { REPLAY_HARNESS_IDENTITY: identity } }), 2, /REPLAY_HARNESS_IDENTITY|private key/, says);
    }
  });

  it('a recording that is sealed to somebody else', async () => {
    const { workspace } = await withRecording();
    mkdirSync(workspace.path('other'));
    const env = { XDG_CONFIG_HOME: workspace.path('other') };
    expectRefusal(await workspace.cli(['replay', 'latest'], { env }), 2, /sealed to/, /REPLAY_HARNESS_IDENTITY/);
    const [run] = JSON.parse((await workspace.cli(['runs', '--json'], { env })).stdout.toString()) as [{ replayable: boolean }];
    expect(run.replayable).toBe(false);
    const identity = workspace.path('config/replay-harness/identity');
    expect((await workspace.replay('latest', { env: { ...env, REPLAY_HARNESS_IDENTITY: identity } })).report?.verdict).toBe('identical');
    expect((await workspace.replay('latest', { env: { ...env, REPLAY_HARNESS_IDENTITY: `cmd:cat ${identity}` } })).report?.verdict).toBe('identical');
  });

  it('a recipient that is no key: nothing is run', async () => {
    const workspace = testWorkspace();
    expectRefusal(await workspace.record('sleeper.mjs', { env: { REPLAY_HARNESS_RECIPIENT: 'nonsense' } }), 2, /nonsense/, /public key/);
  });
});

describe('configuration', () => {
  it.each([
    ['an unknown key', '{"stroe": ".replay"}', [/"stroe"/, /unknown/, /store/]],
    ['a wrong type', '{"store": 7}', [/"store"/, /folder|text/, /7/]],
    ['a wrong rule', '{"mask": [{"haeder": "x"}]}', [/"mask"/, /header/]],
    ['an empty agent', '{"agent": ""}', [/"agent"/, /not empty/]],
    ['no JSON', '{store}', [/not valid JSON/]],
    ['no object', '[]', [/object/]],
  ] as const)('%s: named, for every verb and for the preload, before the agent runs', async (_, text, says) => {
    const workspace = testWorkspace();
    const file = workspace.write('replay-harness.json', text);
    expectRefusal(await workspace.cli(['runs']), 2, ...says);
    expectRefusal(await workspace.cli(['record', '--', 'node', workspace.copy('exit-code.mjs')]), 2, ...says);
    const run = await workspace.record('exit-code.mjs');
    expectRefusal(run, 2, ...says);
    renameSync(file, workspace.path('elsewhere.json'));
    expectRefusal(await workspace.cli(['runs'], { env: { REPLAY_HARNESS_CONFIG: workspace.path('elsewhere.json') } }), 2, ...says);
  });

  it('is searched upwards, and gives way to environment and flags', async () => {
    const workspace = testWorkspace();
    workspace.write('replay-harness.json', '{"store":"from-file","agent":"from-file","tags":{"a":"1"}}');
    mkdirSync(workspace.path('deep/er'), { recursive: true });
    const list = async (...args: string[]): Promise<unknown> => JSON.parse((await workspace.cli(['runs', '--json', ...args])).stdout.toString()) as unknown;
    await workspace.record('empty.mjs');
    expect(await list()).toMatchObject([{ agent: 'from-file', tags: { a: '1' } }]);
    await workspace.record('empty.mjs', { env: { REPLAY_HARNESS_STORE: 'from-env', REPLAY_HARNESS_AGENT: 'from-env' } });
    expect(await list('--store', 'from-env')).toMatchObject([{ agent: 'from-env' }]);
    expect((await workspace.cli(['runs', '--json', '--store', workspace.path('from-file')], { cwd: workspace.path('deep/er'), env: { REPLAY_HARNESS_STORE: 'from-env' } })).stdout.toString()).toContain('from-file');
  });

  it.each(['../../evil', 'latest', '', '019ABCDE-0000-7000-8000-000000000000', '..'])('"%s" as the id of a new run: refused before anything is made', async (id) => {
    const workspace = testWorkspace();
    const env = { REPLAY_HARNESS_RUN: id };
    const before = readdirSync(workspace.folder).filter((name) => name !== 'exit-code.mjs');
    expectRefusal(await workspace.record('exit-code.mjs', { env }), 2, /REPLAY_HARNESS_RUN/, /UUID/);
    expectRefusal(await workspace.cli(['record', '--', 'node', workspace.copy('exit-code.mjs')], { env }), 2, /REPLAY_HARNESS_RUN/, /UUID/);
    expect(readdirSync(workspace.folder).filter((name) => name !== 'exit-code.mjs')).toEqual(before);
  });

  it.each(['import', 'cli'] as const)('the id of an earlier run for a new one (%s): it gets another, and one line says so', async (preload) => {
    const workspace = testWorkspace();
    const id = '019abcde-0000-7000-8000-000000000000';
    const record = (): ReturnType<Workspace['record']> => workspace.record('empty.mjs', { preload, env: { REPLAY_HARNESS_RUN: id } });
    expect((await record()).ownStderr).not.toMatch(/earlier run/);
    expect(workspace.runs()).toEqual([id]);
    const second = (await record()).ownStderr;
    const other = workspace.runs().find((run) => run !== id) as string;
    expect(second).toMatch(new RegExp(`^replay-harness: [^\n]*${id} belongs to an earlier run; this one is recorded as ${other}\n`));
    expect(JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString())).toMatchObject([{ id: other, parentRunId: null }, { id, parentRunId: null }]);
  });

  it('may begin with a byte order mark', async () => {
    const workspace = testWorkspace();
    workspace.write('replay-harness.json', '\uFEFF{"agent":"marked"}');
    await workspace.record('empty.mjs');
    expect(JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString())).toMatchObject([{ agent: 'marked' }]);
  });

  it('variables with a wrong value', async () => {
    const workspace = testWorkspace();
    expectRefusal(await workspace.record('exit-code.mjs', { env: { REPLAY_HARNESS_MODE: 'on' } }), 2, /REPLAY_HARNESS_MODE/, /record, replay, off/);
    expectRefusal(await workspace.record('exit-code.mjs', { env: { REPLAY_HARNESS_LOG: 'loud' } }), 2, /REPLAY_HARNESS_LOG/, /silent, warn, debug/);
    expectRefusal(await workspace.record('exit-code.mjs', { env: { REPLAY_HARNESS_CONFIG: 'absent.json' } }), 2, /absent\.json/);
  });
});

describe('the program', () => {
  it('its entry file is missing: says where the code lies now', async () => {
    const { workspace, agent } = await withRecording();
    renameSync(agent, workspace.path('moved.mjs'));
    expectRefusal(await workspace.cli(['replay', 'latest']), 2, /agent\.mjs/, /-- node/);
    const replayed = await workspace.replay('latest', { args: ['--', 'node', workspace.path('moved.mjs')] });
    expect(replayed).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
    expectRefusal(await workspace.cli(['replay', 'latest', '--', 'python3', 'agent.py']), 2, /Node/);
  });

  it('it was read from standard input: there is nothing to run again', async () => {
    const workspace = testWorkspace();
    const program = workspace.write('program.js', 'console.log(1)');
    for (const stdin of [{ file: program }, { pipe: 'console.log(2)' }]) {
      for (const args of [[], ['-']]) {
        expect((await workspace.node([...PRELOAD.import, ...args], { stdin })).exitCode).toBe(0);
        expectRefusal(await workspace.cli(['replay', workspace.runs().at(-1) as string]), 2, /standard input|-- node/);
      }
    }
  });

  it('another Node version than the recording’s: what is only replayed exactly is refused, and both are named', async () => {
    const workspace = testWorkspace();
    const agent = workspace.write('agent.mjs', "import { Worker } from 'node:worker_threads'; new Worker('1', { eval: true });");
    expect((await workspace.record(agent)).exitCode).toBe(0);
    expectRefusal(await workspace.cli(['replay', 'latest', '--node', pretendedNode(workspace)]), 1, new RegExp(process.version.replaceAll('.', '\\.')), /v22\.99\.0/, /worker threads/, /--node/, /^[^\n]*\n$/);
  });

  it('another Node version, given by its path after "--"', async () => {
    const { workspace, agent } = await withRecording();
    const other = join(dirname(pretendedNode(workspace)), 'bin/node');
    mkdirSync(dirname(other));
    renameSync(workspace.path('other-node'), other);
    for (const path of [other, './bin/node']) {
      const { report, ownStderr } = await workspace.replay('latest', { args: ['--', path, agent] });
      expect(report, ownStderr).toMatchObject({ verdict: 'identical', fidelity: 'semantic', liveCalls: 0 });
      expect(ownStderr).toContain(`recorded with Node ${process.version}, replayed with v22.99.0`);
    }
    expectRefusal(await workspace.cli(['replay', 'latest', '--', './absent/node', agent]), 2, /absent\/node: there is no such program/);
    expect((await workspace.replay('latest', { args: ['--', process.execPath, agent] })).report?.verdict).toBe('identical');
  });

  it('a report that cannot be written: said before the replay', async () => {
    const { workspace } = await withRecording();
    for (const report of [workspace.path('absent/report.json'), '.', '', workspace.write('file', '') + '/below']) expectRefusal(await workspace.cli(['replay', 'latest', '--report', report]), 2, /report/, /--report takes/);
  });

  it('a Node binary that is not there, or is none', async () => {
    const { workspace } = await withRecording();
    for (const node of ['nope', './nope', workspace.path('nope')]) expectRefusal(await workspace.cli(['replay', 'latest', '--node', node]), 2, /nope/, new RegExp(`recorded version, ${process.version}`));
    expectRefusal(await workspace.cli(['replay', 'latest', '--node', workspace.folder]), 2, /may not be executed/);
    expect((await workspace.replay('latest', { args: ['--node', 'node'] })).report?.verdict).toBe('identical');
  });

  it('a command that is not there', async () => {
    const workspace = testWorkspace();
    expectRefusal(await workspace.cli(['record', '--', 'no-such-program']), 2, /no-such-program/, /no such program/, /PATH/);
    const file = workspace.write('not-executable', 'console.log(1)');
    expectRefusal(await workspace.cli(['record', '--', file]), 2, /not-executable/, /chmod \+x/);
    expectRefusal(await workspace.cli(['record', '--', `${file}/below`]), 2, /no such program/);
    const [recorded] = [await workspace.cli(['record', '--', 'true'])];
    expect(recorded).toMatchObject({ exitCode: 0 });
    expect(recorded.stderr.toString()).toMatch(/^replay-harness: nothing was recorded/);
  });
});

describe('the command line', () => {
  it('an unknown verb, flag or value', async () => {
    const workspace = testWorkspace();
    expectRefusal(await workspace.cli(['replya', 'latest']), 2, /replya/, /replay,/);
    expectRefusal(await workspace.cli(['replay', 'latest', '--fast']), 2, /--fast/);
    expectRefusal(await workspace.cli(['runs', '--store']), 2, /--store/);
    expectRefusal(await workspace.cli(['record', 'node', 'agent.mjs']), 2, /"--"/);
    expectRefusal(await workspace.cli(['record', '--tag', 'novalue', '--', 'true']), 2, /--tag/, /KEY=VALUE/);
  });

  it('an empty run, or an argument too many', async () => {
    const { workspace } = await withRecording();
    for (const verb of ['replay', 'show', 'check']) expectRefusal(await workspace.cli([verb, '']), 2, /empty/, /latest/);
    expectRefusal(await workspace.cli(['runs', 'extra']), 2, /runs takes options only, not "extra"/);
    expectRefusal(await workspace.cli(['keys', '--', 'extra']), 2, /keys takes options only, not "extra"/);
    expectRefusal(await workspace.cli(['--name', 'x', 'record', '--', 'true']), 2, /--name/, /command first/);
  });

  it('options before the verb', async () => {
    const { workspace, run } = await withRecording();
    renameSync(workspace.store, workspace.path('moved'));
    for (const options of [['--store', 'moved'], ['--store=moved']]) {
      const listed = await workspace.cli(['--json', ...options, 'runs']);
      expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ id: run }]);
      expect((await workspace.cli([...options, 'check', 'latest'])).stdout.toString()).toMatch(/ok \(complete\)/);
    }
  });

  it('help names the options that the verb takes, and no others', async () => {
    const workspace = testWorkspace();
    for (const verb of ['record', 'replay', 'runs', 'show', 'check', 'keys']) {
      const help = (await workspace.cli([verb, '--help'])).stdout.toString();
      const named = [...help.slice(help.indexOf('Options:')).matchAll(/^ {2}(--[a-z]+)( \S+)?/gm)];
      expect(named.map(([, option]) => option)).toContain('--store');
      expect(named.some(([, option]) => option === '--json')).toBe(!['record', 'replay'].includes(verb));
      for (const [, option, value] of named) expect((await workspace.cli([verb, option as string, ...(value ? ['a=b'] : [])])).stderr.toString(), `${verb} ${option}`).not.toMatch(/Unknown option|does not take/);
    }
  });

  it('help: on stdout, 0 when it was asked for and 2 when nothing was', async () => {
    const workspace = testWorkspace();
    for (const args of [['--help'], ['-h'], ['help'], ['replay', '--help']]) expect(await workspace.cli(args), args.join(' ')).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
    expect((await workspace.cli([])).exitCode).toBe(2);
    expect((await workspace.cli(['--version'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the store', () => {
  it('a file where the folder should be: the agent goes on, the verbs refuse', async () => {
    const workspace = testWorkspace();
    workspace.write('store', 'a file');
    const env = { REPLAY_HARNESS_STORE: workspace.path('store') };
    const recorded = await workspace.record('never-settled.mjs', { env });
    expect(recorded.exitCode).toBe(13);
    expect(recorded.stdout.toString()).toBe('waiting\nthe last timer\n');
    expect(recorded.ownStderr).toMatch(/^replay-harness: [^\n]*not recorded[^\n]*\n$/);
    for (const args of [['runs'], ['replay', 'latest'], ['check', '--all']]) expectRefusal(await workspace.cli(args, { env }), 5, /store/);
  });

  it('nothing can be recorded: `record` adds no second line to the one that says why, and its exit code says so', async () => {
    const workspace = testWorkspace();
    const file = workspace.write('file', '');
    const agent = workspace.write('agent.mjs', "process.exitCode = 4;\nconsole.log('ran');\n");
    const command = ['record', '--', 'node', agent];
    for (const [env, says] of [
      [{ REPLAY_HARNESS_STORE: file }, /file/], [{ REPLAY_HARNESS_STORE: `${file}/below` }, /cannot be written/], [{ XDG_CONFIG_HOME: `${file}/below` }, /No key pair/],
    ] as const) {
      const recorded = await workspace.cli(command, { env });
      expect(ownText(recorded.stderr)).toMatch(/^replay-harness: this run is not recorded[^\n]*\n$/);
      expect(ownText(recorded.stderr)).toMatch(says);
      expect(recorded.exitCode).toBe(5);
      expect(recorded.stdout.toString()).toBe('ran\n');
      const silent = await workspace.cli(command, { env: { ...env, REPLAY_HARNESS_LOG: 'silent' } });
      expect(ownText(silent.stderr)).toBe('replay-harness: nothing was recorded\n');
    }
    const malformed = await workspace.cli(command, { env: { REPLAY_HARNESS_RECIPIENT: 'nonsense' } });
    expectRefusal(malformed, 2, /^replay-harness: "nonsense" is no public key[^\n]*\n$/);
  });

  it('a home that cannot be written: the agent goes on, and one line says so', async () => {
    const workspace = testWorkspace();
    const recorded = await workspace.record('never-settled.mjs', { env: { XDG_CONFIG_HOME: `${workspace.write('file', '')}/below` } });
    expect(recorded.exitCode).toBe(13);
    expect(recorded.ownStderr).toMatch(/^replay-harness: [^\n]*not recorded[^\n]*\n$/);
  });
});

/** The same Node that calls itself another version: enough to be refused. */
function pretendedNode(workspace: Workspace): string {
  const version = workspace.write('version.cjs', "Object.defineProperty(process, 'version', { value: 'v22.99.0' });");
  writeFileSync(workspace.path('other-node'), `#!/bin/sh\nexec "${process.execPath}" -r "${version}" "$@"\n`, { mode: 0o755 });
  return workspace.path('other-node');
}
