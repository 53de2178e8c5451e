/** Compiled code of our bundles, kept beside them: taken where it is good, and never anything else. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
