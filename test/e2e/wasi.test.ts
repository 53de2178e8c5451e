/** node:wasi: its files, clocks and streams come from the recording, and nothing is touched. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';
import { forkRun, stepsOf } from '../support/forks.ts';
import { Workspace } from '../support/workspace.ts';

describe('modules that ask by WASI', () => itReplays(CATALOGUE.wasi));

const PROGRAM = `
import { WASI } from 'node:wasi';
const memory = new WebAssembly.Memory({ initial: 2 });
const wasi = new WASI({ version: 'preview1', args: ['one'], preopens: { '/box': 'box' } });
wasi.initialize({ exports: { memory } });
const bytes = Buffer.from(memory.buffer);
const put = (at, text) => [at, bytes.write(text, at)];
const vector = (at, length) => { bytes.writeUInt32LE(at, 96); bytes.writeUInt32LE(length, 100); return [96, 1]; };
const { path_open, path_rename, fd_read, fd_write, fd_seek, random_get } = wasi.wasiImport;
const open = (name, how, rights) => (path_open(3, 0, ...put(512, name), how, rights, 0n, 0, 16), bytes.readUInt32LE(16));
const notes = open('notes.txt', 0, 0x6n);
fd_seek(notes, 5n, 0, 32);
fd_read(notes, ...vector(1024, 100), 24);
console.log('read', bytes.toString('utf8', 1024, 1024 + bytes.readUInt32LE(24)), random_get(64, 8));
const out = open('out.txt', 9, 0x40n);
fd_write(out, ...vector(...put(2048, 'into the file')), 24);
fd_write(1, ...vector(...put(2048, 'onto the screen\\n')), 24);
path_rename(3, ...put(512, 'out.txt'), 3, ...put(600, 'done.txt'));
console.log('the end');
`;

const EDITS = [
  { what: 'an argument', from: "['one']", to: "['two']", kind: 'wasi', field: 'args[0]', now: 'an instance of WASI (preview1), on the way to WASI path_open 3 0 notes.txt 0 6 0 0' },
  { what: 'the folder', from: "'/box': 'box'", to: "'/box': 'cupboard'", kind: 'wasi', field: 'preopens["/box"]', now: 'an instance of WASI (preview1), on the way to WASI path_open 3 0 notes.txt 0 6 0 0' },
  { what: 'the file that is opened', from: "'notes.txt'", to: "'words.txt'", kind: 'wasi-value', field: 'wasi-value', now: 'WASI path_open 3 0 words.txt 0 6 0 0' },
  { what: 'how much it reads', from: '(1024, 100)', to: '(1024, 99)', kind: 'wasi-value', field: 'wasi-value', now: 'WASI fd_read 4 [99]' },
  { what: 'a byte that is written', from: 'into the file', to: 'into the fire', kind: 'file write', field: 'content', now: 'a write of 13 bytes to box/out.txt: "into the fire"' },
  { what: 'a byte that is printed', from: 'onto the screen', to: 'onto the screed', kind: 'stdout', field: 'stdout', now: 'stdout: "onto the screed\\n"' },
  { what: 'where a file is moved', from: "'done.txt'", to: "'gone.txt'", kind: 'wasi-value', field: 'wasi-value', now: 'WASI path_rename 3 out.txt 3 gone.txt' },
] as const;

describe('one recording', () => {
  const workspace = new Workspace();
  let agent = '';

  beforeAll(async () => {
    agent = workspace.write('agent.mjs', PROGRAM);
    mkdirSync(workspace.path('box'));
    workspace.write('box/notes.txt', 'some notes');
    const { exitCode, ownStderr, stdout } = await workspace.record(agent, { nodeArgs: ['--no-warnings'] });
    expect({ exitCode, ownStderr, stdout: stdout.toString() }).toEqual({ exitCode: 0, ownStderr: '', stdout: 'read notes 0\nonto the screen\nthe end\n' });
    expect(readFileSync(workspace.path('box/done.txt'), 'utf8')).toBe('into the file');
  });
  afterAll(() => workspace.remove());

  it('shows files, chance and prints as those of any program', async () => {
    const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: readonly Record<string, unknown>[] };
    expect(steps).toEqual(expect.arrayContaining([
      expect.objectContaining({ kind: 'state', name: 'WASI one', input: expect.objectContaining({ args: ['one'], preopens: { '/box': 'box' } }) as object }),
      expect.objectContaining({ kind: 'tool', boundary: 'fs', name: 'readFile box/notes.txt', output: { content: 'notes' } }),
      expect.objectContaining({ kind: 'random', boundary: 'random', name: 'WASI random_get' }),
      expect.objectContaining({ kind: 'tool', boundary: 'fs', name: 'writeFile box/out.txt', output: { content: 'into the file' } }),
      expect.objectContaining({ kind: 'message', boundary: 'stdout', output: { text: 'onto the screen\n' } }),
      expect.objectContaining({ kind: 'tool', boundary: 'fs', name: 'rename box/out.txt to box/done.txt' }),
    ]));
  });

  it('a fork goes no further than a call whose answer nothing recorded stands for', async () => {
    const [printed] = (await stepsOf(workspace)).filter(({ boundary }) => boundary === 'stdout');
    const fork = await forkRun(workspace, ['latest', '--at', String(printed?.step)]);
    expect(fork.stderr).toContain('refused WASI path_open 3 0 out.txt 9 64 0 0');
    expect(fork.stdout).toBe('read notes 0\n');
    expect(readdirSync(workspace.path('box')).sort()).toEqual(['done.txt', 'notes.txt']);
  });

  it.each(EDITS)('a program that differs in $what stops there, and touches nothing', async ({ from, to, kind, field, now }) => {
    rmSync(workspace.path('box'), { recursive: true, force: true });
    expect(PROGRAM).toContain(from);
    writeFileSync(agent, PROGRAM.replace(from, to));
    const { exitCode, report, stdout, ownStderr } = await workspace.replay();
    expect(exitCode).toBe(3);
    expect(report, ownStderr).toMatchObject({ verdict: 'diverged', kind, actual: now, firstDifference: { field }, liveCalls: 0, changedCode: ['agent.mjs'] });
    expect(stdout.toString()).not.toContain('the end');
    expect(readdirSync(workspace.folder).filter((name) => name === 'box' || name === 'cupboard')).toEqual([]);
  });
});
