/** `check --anchor`: a recording that was rewritten as a whole, with checksums that fit, is another one. */
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

it('what is as it was anchored passes; what was rewritten, taken away or is of later is told', async () => {
  const workspace = testWorkspace();
  const record = async (said: string): Promise<string> => {
    workspace.write('agent.mjs', `console.log(${JSON.stringify(said)}, Math.random());`);
    await workspace.record(workspace.path('agent.mjs'));
    return workspace.runs().at(-1) as string;
  };
  const [first, second] = [await record('the truth'), await record('something else')];
  const anchor = workspace.write('anchor.json', (await workspace.cli(['check', '--all', '--json'])).stdout);
  const check = async (...args: string[]): Promise<{ said: string; exitCode: number | null }> => {
    const { stdout, stderr, exitCode } = await workspace.cli(['check', ...args, '--anchor', anchor]);
    return { said: `${stdout.toString()}${stderr.toString()}`, exitCode };
  };
  const whole = await check('--all');
  expect(whole.said.match(/ok \(complete\), \d+ events, every checksum and the chain verified, as anchored\n/g)).toHaveLength(2);
  expect(whole.exitCode).toBe(0);

  const third = await record('the truth');
  const grown = await check('--all');
  expect(grown.said).toMatch(new RegExp(`${third}  ok .*, not in the anchor\n`));
  expect(grown.exitCode).toBe(0);
  expect(await check(third)).toEqual({ said: `replay-harness: --anchor ${anchor}: run ${third} is not in it.\n`, exitCode: 2 });

  // Somebody with every key makes the run again, under the id and in the place of the first: all of it verifies.
  const folder = `${workspace.store}/runs/${first}`;
  renameSync(folder, `${workspace.folder}/away`);
  workspace.write('agent.mjs', `console.log("another truth", Math.random());`);
  await workspace.record(workspace.path('agent.mjs'), { env: { REPLAY_HARNESS_RUN: first } });
  expect((await workspace.cli(['check', first])).exitCode).toBe(0);
  const rewritten = await check(first);
  expect(rewritten.said).toMatch(new RegExp(`^${first}  DAMAGED: the recording is not the one that was anchored: its digest is [0-9a-f]{64}, and was [0-9a-f]{64}`));
  expect(rewritten.exitCode).toBe(4);

  rmSync(folder, { recursive: true });
  renameSync(`${workspace.folder}/away`, folder);
  expect((await check(first)).exitCode).toBe(0);
  rmSync(`${workspace.store}/runs/${second}`, { recursive: true });
  const gone = await check('--all');
  expect(gone.said).toMatch(new RegExp(`${second}  DAMAGED: it was anchored, and is not in the store any more`));
  expect(gone.exitCode).toBe(4);
});

it('an anchor that cannot be read, or is none, is a mistake of the command line', async () => {
  const workspace = testWorkspace();
  workspace.write('agent.mjs', 'console.log(1);');
  await workspace.record(workspace.path('agent.mjs'));
  const [id] = workspace.runs();
  copyFileSync(`${workspace.store}/runs/${id}/${readdirSync(`${workspace.store}/runs/${id}`).find((name) => name.endsWith('.journal'))}`, workspace.path('journal'));
  expect(readFileSync(workspace.path('journal')).length).toBeGreaterThan(0);
  for (const [file, why] of [[workspace.path('none'), /no such file/], [workspace.path('journal'), /JSON|token/], [workspace.write('object', '{}'), /holds no list of runs/], [workspace.write('list', '[{}]'), /names no run, status and digest/], [workspace.folder, /directory/]] as const) {
    const { stderr, exitCode } = await workspace.cli(['check', 'latest', '--anchor', file]);
    expect(stderr.toString()).toMatch(why);
    expect(stderr.toString()).toMatch(/check --all --json >/);
    expect(exitCode).toBe(2);
  }
});
