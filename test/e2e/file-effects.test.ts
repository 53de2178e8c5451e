import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { removeWritten } from '../support/agent-files.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

const AGENT = `
import fs from 'node:fs';
import { appendFile, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { total } from './total.mjs';
fs.writeFileSync('at-once.txt', 'sum: ' + total([1, 2]));
await writeFile('later.txt', Buffer.from('bytes: 1 2 3'));
const file = await open('pieces.txt', 'w');
await file.write('a piece', 0);
await file.close();
const fd = fs.openSync('sync.txt', 'a');
fs.writeSync(fd, 'a line\\n');
fs.closeSync(fd);
await mkdir('folder');
await rename('later.txt', 'folder/moved.txt');
const stream = fs.createWriteStream('stream.txt');
await new Promise((resolve) => stream.end('streamed', resolve));
console.log('done');
`;
const TOTAL = 'export const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);\n';

async function recorded(): Promise<{ workspace: Workspace; agent: string }> {
  const workspace = testWorkspace();
  const agent = workspace.write('agent.mjs', AGENT);
  workspace.write('total.mjs', TOTAL);
  const { ownStderr, exitCode } = await workspace.record(agent);
  expect([ownStderr, exitCode]).toEqual(['', 0]);
  return { workspace, agent };
}

const EDITS = [
  { what: 'a byte written at once', from: "'sum: '", to: "'Sum: '", kind: 'file write', field: 'content', recorded: /a write of 6 bytes to at-once\.txt: .*sum: 3/, now: /to at-once\.txt: .*Sum: 3/ },
  { what: 'a byte written by promise', from: '1 2 3', to: '1 2 4', kind: 'file write', field: 'content', recorded: /to later\.txt: .*1 2 3/, now: /1 2 4/ },
  { what: 'a byte written to a handle', from: 'a piece', to: 'a place', kind: 'file write', field: 'content', recorded: /to pieces\.txt: .*piece/, now: /place/ },
  { what: 'the position of a write', from: "'a piece', 0", to: "'a piece', 1", kind: 'fs', field: 'fs', recorded: /write/, now: /write/ },
  { what: 'a byte written to a descriptor', from: 'a line', to: 'a lime', kind: 'file write', field: 'content', recorded: /to sync\.txt: .*a line/, now: /a lime/ },
  { what: 'a byte written to a stream', from: "'streamed'", to: "'stripped'", kind: 'file write', field: 'content', recorded: /to stream\.txt: .*streamed/, now: /stripped/ },
  { what: 'the file that is written', from: "'at-once.txt'", to: "'elsewhere.txt'", kind: /fs/, field: 'fs-value', recorded: /at-once\.txt/, now: /elsewhere\.txt/ },
  { what: 'the folder that is made', from: "mkdir('folder')", to: "mkdir('folders')", kind: 'fs', field: 'fs', recorded: /mkdir folder/, now: /mkdir folders/ },
  { what: 'where a file is moved', from: 'folder/moved.txt', to: 'folder/away.txt', kind: 'fs', field: 'fs', recorded: /rename later\.txt folder\/moved\.txt/, now: /rename later\.txt folder\/away\.txt/ },
  { what: 'how a file is opened', from: "'sync.txt', 'a'", to: "'sync.txt', 'w'", kind: /fs/, field: 'fs-value', recorded: /open sync\.txt/, now: /open sync\.txt/ },
] as const;

describe('a program that writes something else', () => {
  it.each(EDITS)('$what: stops there, says which file, and writes nothing', async ({ from, to, kind, field, recorded: then, now }) => {
    const { workspace, agent } = await recorded();
    removeWritten(workspace);
    workspace.write('total.mjs', TOTAL);
    writeFileSync(agent, AGENT.replace(from, to));
    expect(AGENT).toContain(from);
    const { report, ownStderr, exitCode } = await workspace.replay();
    expect(exitCode).toBe(3);
    expect(report, ownStderr).toMatchObject({ verdict: 'diverged', kind: typeof kind === 'string' ? kind : expect.stringMatching(kind), firstDifference: { field }, changedCode: ['agent.mjs'] });
    expect(report?.expected).toMatch(then);
    expect(report?.actual).toMatch(now);
    expect(report?.stack[0]).toContain('agent.mjs');
    expect(ownStderr).toMatch(/the code changed since the recording: agent\.mjs\. This is the likely reason/);
    expect(readdirSync(workspace.folder).filter((name) => name.endsWith('.txt') || name.startsWith('folder'))).toEqual([]);
  });
});

describe('the program’s own code', () => {
  it('that is the same is not mentioned', async () => {
    const { workspace } = await recorded();
    const { report, ownStderr } = await workspace.replay();
    expect(report).toMatchObject({ verdict: 'identical', changedCode: [] });
    expect(ownStderr).toMatch(/^replay-harness: replayed [^\n]+\n$/);
  });

  it('that changed without effect is named in a line of its own, and the replay is identical', async () => {
    const { workspace } = await recorded();
    workspace.write('total.mjs', `// A comment.\n${TOTAL}`);
    const { report, ownStderr, exitCode } = await workspace.replay();
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ verdict: 'identical', changedCode: ['total.mjs'] });
    expect(ownStderr).toMatch(/^replay-harness: replayed [^\n]+\nreplay-harness: the code changed since the recording: total\.mjs\. It makes no difference to this run\.\n$/);
  });

  it('that lies elsewhere now is compared all the same', async () => {
    const { workspace } = await recorded();
    mkdirSync(workspace.path('elsewhere'));
    for (const name of ['agent.mjs', 'total.mjs']) workspace.write(`elsewhere/${name}`, readFileSync(workspace.path(name)));
    const same = await workspace.replay('latest', { args: ['--', 'node', workspace.path('elsewhere/agent.mjs')] });
    expect(same.report, same.ownStderr).toMatchObject({ verdict: 'identical', changedCode: [] });
    workspace.write('elsewhere/total.mjs', TOTAL.replace('sum + number', 'number + sum'));
    const changed = await workspace.replay('latest', { args: ['--', 'node', workspace.path('elsewhere/agent.mjs')] });
    expect(changed.report).toMatchObject({ verdict: 'identical', changedCode: ['total.mjs'] });
  });
});

it('code that a program wrote is found in a replay, and nothing is left of it', async () => {
  const workspace = testWorkspace();
  const temporary = workspace.path('temporary');
  mkdirSync(temporary);
  const recording = await workspace.record('written-requires.mjs', { env: { TMPDIR: temporary } });
  for (const name of ['plain.js']) writeFileSync(workspace.path(name), 'throw new Error("not the recorded code");');
  const { report, stdout, ownStderr } = await workspace.replay();
  expect(report, ownStderr).toMatchObject({ verdict: 'identical', changedCode: [] });
  expect(stdout).toEqual(recording.stdout);
  expect(readdirSync(temporary)).toEqual([]);
});

it('memory does not grow with the files that are read and written', { timeout: 300_000 }, async () => {
  const peak = async (megabytes: number): Promise<number> => {
    const workspace = testWorkspace();
    const { agentStderr, exitCode, stderr } = await workspace.record('large-copies.mjs', { args: [String(megabytes)] });
    expect(exitCode, stderr.toString()).toBe(0);
    return Number(/peak (\d+)/.exec(agentStderr.toString())?.[1]);
  };
  expect(await peak(200) - await peak(20)).toBeLessThan(60);
});
