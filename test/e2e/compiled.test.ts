/** Compiled code of our bundles, kept beside them: taken where it is good, and never anything else. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIST } from '../support/paths.ts';
import { Workspace } from '../support/workspace.ts';

/** Says of each script that is compiled with code from before whether V8 took that. */
const WATCH = `
const vm = require('node:vm');
const { Script } = vm;
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options);
    if (/loader.(record|replay).cjs$/.test(options.filename)) process.stderr.write(JSON.stringify({ file: options.filename, taken: this.cachedDataRejected === false }) + '\\n');
  }
};
`;
const AGENT = 'console.log(process.argv.length, new Error("here").stack, Math.random()); setTimeout(() => console.log(Date.now()), 3);';

const workspace = new Workspace();
const first = workspace.path('first');
const moved = workspace.path('moved');
let agent = '';
let watch = '';

beforeAll(() => {
  agent = workspace.write('agent.cjs', AGENT);
  watch = workspace.write('watch.cjs', WATCH);
  cpSync(DIST, first, { recursive: true });
  rmSync(join(first, 'loader/compiled'), { recursive: true, force: true });
});
afterAll(() => workspace.remove());

const kept = (dist: string): string[] => (existsSync(join(dist, 'loader/compiled')) ? readdirSync(join(dist, 'loader/compiled')).sort() : []);
const record = async (dist: string, ...before: string[]): Promise<string> => {
  const { exitCode, stderr } = await workspace.node([...before, '-r', join(dist, 'loader/preload.cjs'), agent]);
  expect(exitCode).toBe(0);
  return stderr.toString();
};
const replays = async (dist: string): Promise<void> => {
  const { report, stdout } = await workspace.replay('latest', { dist });
  expect(report?.verdict).toBe('identical');
  expect(stdout.toString()).not.toContain(first);
};

test('the first command that starts a program has it made; processes take it after that', async () => {
  const none = await record(first, '-r', watch);
  expect(none).toBe(`${JSON.stringify({ file: join(first, 'loader/record.cjs'), taken: false })}\n`);
  expect(kept(first)).toEqual([]);
  await replays(first);
  expect(kept(first).map((name) => name.replace(/-.*/, ''))).toEqual(['record', 'replay']);
  expect(await record(first, '-r', watch)).toBe(`${JSON.stringify({ file: join(first, 'loader/record.cjs'), taken: true })}\n`);
  await replays(first);
});

test('a package that was moved is compiled anew: stacks would show where it was', async () => {
  renameSync(first, moved);
  expect(await record(moved, '-r', watch)).toContain('"taken":false');
  await replays(moved);
  expect(kept(moved)).toHaveLength(4);
  expect(await record(moved, '-r', watch)).toContain('"taken":true');
  await replays(moved);
});

test('damaged files are not believed', async () => {
  for (const name of kept(moved)) {
    const file = join(moved, 'loader/compiled', name);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(file, bytes);
  }
  expect(await record(moved, '-r', watch)).toContain('"taken":false');
  await replays(moved);
  for (const name of kept(moved)) writeFileSync(join(moved, 'loader/compiled', name), '');
  expect(await record(moved, '-r', watch)).toContain('"taken":false');
  await replays(moved);
});

/** Asked for its runs: what it says, and of each of its packs whether the code that was kept was taken. */
async function runs(dist: string): Promise<{ readonly listed: unknown[]; readonly taken: Readonly<Record<string, boolean>> }> {
  const watched = workspace.write('watch-packs.cjs', WATCH.replace('loader.(record|replay).cjs', 'cli.\\w+-\\w+.cjs'));
  const { stdout, stderr, exitCode } = await workspace.node(['-r', watched, join(dist, 'cli/main.mjs'), 'runs', '--json', '--store', workspace.store]);
  expect(exitCode).toBe(0);
  const lines = stderr.toString().trim().split('\n').map((line) => JSON.parse(line) as { file: string; taken: boolean });
  return { listed: JSON.parse(stdout.toString()) as unknown[], taken: Object.fromEntries(lines.map(({ file, taken }) => [basename(file).replace(/-.*/, ''), taken])) };
}

const keptOfVerbs = (dist: string): string[] => readdirSync(join(dist, 'cli/compiled')).filter((name) => name.includes('-runs-')).sort();
const NONE = { start: false, server: false, steps: false };
const ALL = { start: true, server: true, steps: true };

test('what a verb of the command line compiled is taken by the next that is the same, and by no other; options of its own keep nothing', async () => {
  rmSync(join(moved, 'cli/compiled'), { recursive: true, force: true });
  const { listed, taken } = await runs(moved);
  expect(listed.length).toBeGreaterThan(0);
  expect(taken).toEqual(NONE);
  expect(existsSync(join(moved, 'cli/compiled'))).toBe(false);
  const plain = await workspace.node([join(moved, 'cli/main.mjs'), 'runs', '--json', '--store', workspace.store]);
  expect(JSON.parse(plain.stdout.toString())).toEqual(listed);
  expect(keptOfVerbs(moved)).toHaveLength(3);
  expect(await runs(moved)).toEqual({ listed, taken: ALL });
});

test('damaged code of a verb is not believed, and replaced', async () => {
  const { listed } = await runs(moved);
  for (const damaged of [(bytes: Buffer) => bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)), () => Buffer.alloc(0), (bytes: Buffer) => bytes.subarray(0, -2)]) {
    for (const name of keptOfVerbs(moved)) writeFileSync(join(moved, 'cli/compiled', name), damaged(readFileSync(join(moved, 'cli/compiled', name))));
    expect(await runs(moved)).toEqual({ listed, taken: NONE });
    await workspace.node([join(moved, 'cli/main.mjs'), 'runs', '--json', '--store', workspace.store]);
    expect(await runs(moved)).toEqual({ listed, taken: ALL });
  }
});
