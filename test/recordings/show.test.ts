/** What `show` prints of the samples, word for word, and that the documents show the same. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { execute, type Execution } from '../support/execute.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const STORE = join(import.meta.dirname, 'samples');
const IDENTITY = join(import.meta.dirname, 'v1', 'identity');
const RUNS = readdirSync(join(STORE, 'runs'));

const cli = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Execution> =>
  execute({ program: process.execPath, args: [CLI, ...args, '--store', STORE], cwd: testWorkspace().folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: IDENTITY, ...env } });

it.each(RUNS)('%s', async (run) => {
  const shown = await cli(['show', run]);
  expect(shown).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  // `npx vitest run test/recordings -u` writes them anew.
  await expect(shown.stdout.toString()).toMatchFileSnapshot(join(STORE, `${run}.txt`));
  const plain = await cli(['show', run], { NO_COLOR: '1', FORCE_COLOR: '1' });
  expect(plain.stdout).toEqual(shown.stdout);
  const colored = (await cli(['show', run], { FORCE_COLOR: '1' })).stdout.toString();
  expect(colored).toContain('\u001b[');
  expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(shown.stdout.toString());
});

const DOCUMENTS = ['README.md', ...readdirSync(join(ROOT, 'samples')).map((name) => `samples/${name}/README.md`).filter((file) => existsSync(join(ROOT, file)))];
const HEADING = /^ *STEP +AFTER +\+MS +WHAT$/;

it.each(DOCUMENTS)('what %s shows of a run is what is printed', (document) => {
  const printed = readdirSync(STORE).filter((name) => name.endsWith('.txt')).map((name) => readFileSync(join(STORE, name), 'utf8').split('\n'));
  const excerpts = [...readFileSync(join(ROOT, document), 'utf8').matchAll(/```\n([^]*?)\n```/g)].map(([, block = '']) => block.split('\n')).filter((lines) => lines.some((line) => HEADING.test(line)));
  expect(excerpts.length).toBeGreaterThan(0);
  for (const lines of excerpts) {
    const from = lines.findIndex((line) => HEADING.test(line));
    const end = lines.findIndex((line, index) => index > from && line.startsWith('$'));
    const excerpt = lines.slice(from, end < 0 ? undefined : end).filter((line) => line !== '…' && line !== '');
    const run = printed.find((candidate) => excerpt.every((line) => candidate.includes(line)));
    expect(run, `no recorded run prints all of:\n${excerpt.join('\n')}`).toBeDefined();
    const places = excerpt.map((line) => (run as string[]).indexOf(line));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }
});

it('a reader that closes early is no error', async () => {
  const script = `"${process.execPath}" "${CLI}" show ${RUNS[0]} --store "${STORE}" --verbose --json | head -c 100`;
  const piped = await execute({ program: '/bin/sh', args: ['-c', script], cwd: testWorkspace().folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: IDENTITY } });
  expect(piped).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  expect(piped.stdout).toHaveLength(100);
});
