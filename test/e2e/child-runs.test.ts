/** The Node processes that a recorded program starts are runs of their own. */
import { expect, it, vi } from 'vitest';
import { PRELOAD } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

// Nine processes, each recorded and each replayed.
vi.setConfig({ testTimeout: 400_000 });

interface Listed {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly agent: string;
  readonly status: string;
  readonly exitCode: number;
  readonly command: readonly string[];
}

it.each(['require', 'cli'] as const)('each in every way of starting it, unseen, with a replay of its own (%s)', async (preload) => {
  const workspace = testWorkspace();
  const bare = await workspace.bare('children/node-children.mjs');
  const recorded = await workspace.record('children/node-children.mjs', { preload });
  expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
  expect(recorded.agentStderr.toString()).toBe('');

  const runs = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as Listed[];
  const root = runs.find(({ parentRunId }) => parentRunId === null) as Listed;
  const children = runs.filter(({ parentRunId }) => parentRunId === root.id).reverse();
  expect(children).toHaveLength(8);
  expect(children.map(({ command }) => command.slice(1).filter((word) => !word.endsWith('node-child.mjs')))).toEqual([
    ['plain'], ['no environment'], ['--no-warnings', 'an option'], ['in a shell'], ['second'], ['forked'], ['--no-warnings', 'forked'], ['-p', '[process.argv.length, process.execArgv]'],
  ]);
  for (const { id, status, exitCode } of runs) {
    expect({ status, exitCode }).toEqual({ status: 'complete', exitCode: 0 });
    const replayed = await workspace.replay(id);
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ runId: id, verdict: 'identical' });
  }
  const latest = await workspace.replay();
  expect(latest.report?.runId).toBe(root.id);
});

it('runs --tree shows them below the run that started them', async () => {
  const workspace = testWorkspace();
  workspace.write('top.mjs', "import { execFileSync } from 'node:child_process';\nconsole.log(execFileSync(process.execPath, ['middle.mjs'], { encoding: 'utf8' }));\n");
  workspace.write('middle.mjs', "import { execSync } from 'node:child_process';\nconsole.log(execSync('node bottom.mjs a; node bottom.mjs b', { encoding: 'utf8' }));\n");
  workspace.write('bottom.mjs', 'console.log(process.argv[2], process.ppid > 0);\n');
  const recorded = await workspace.node([...PRELOAD.import, 'top.mjs']);
  expect(recorded.stdout.toString()).toBe('a true\nb true\n\n\n');
  const lines = (await workspace.cli(['runs', '--tree'])).stdout.toString().trim().split('\n');
  expect(lines.map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID').replace(/ID.* \//, 'ID /').replaceAll(`${workspace.folder}/`, ''))).toEqual([expect.stringContaining('RUN'), 'ID top.mjs', '└ ID middle.mjs', '  ├ ID bottom.mjs a', '  └ ID bottom.mjs b']);
});

it('replay --children live replays the children too, and a changed one is found', async () => {
  const workspace = testWorkspace();
  workspace.write('top.mjs', "import { execFileSync } from 'node:child_process';\nconsole.log(execFileSync(process.execPath, ['middle.mjs'], { encoding: 'utf8' }));\n");
  workspace.write('middle.mjs', "import { execSync } from 'node:child_process';\nconsole.log(execSync('node bottom.mjs', { encoding: 'utf8' }));\n");
  const bottom = "console.log('at the bottom', Date.now());\n";
  workspace.write('bottom.mjs', bottom);
  const recorded = await workspace.node([...PRELOAD.import, 'top.mjs']);
  const live = await workspace.replay('latest', { args: ['--children', 'live'] });
  expect(live.stdout.toString()).toBe(recorded.stdout.toString());
  expect(live.ownStderr).toMatch(/^(replay-harness: replayed [^\n]+: identical, [^\n]+\n){3}$/);
  expect(live.report).toMatchObject({ verdict: 'identical', children: [{ verdict: 'identical' }, { verdict: 'identical' }] });
  expect(live.exitCode).toBe(0);

  workspace.write('bottom.mjs', bottom.replace('at the', 'near the'));
  expect((await workspace.replay()).report).toMatchObject({ verdict: 'identical' });
  const changed = await workspace.replay('latest', { args: ['--children', 'live'] });
  expect(changed.exitCode).toBe(3);
  expect(changed.ownStderr).toMatch(/now: +"?near the|now: +stdout: "near the/);
  expect(changed.report).toMatchObject({ verdict: 'diverged', step: null, children: [{ verdict: 'diverged', step: null }, { verdict: 'diverged', kind: 'stdout' }] });
  const wrong = await workspace.replay('latest', { args: ['--children', 'dead'] });
  expect(wrong).toMatchObject({ exitCode: 2, ownStderr: expect.stringContaining('--children takes injected or live') });
});

it('a run is verified with its child processes, and passes no gate where one of them is another', async () => {
  const workspace = testWorkspace();
  workspace.write('top.mjs', "import { fork } from 'node:child_process';\nfork('child.mjs').on('exit', (code) => console.log('exit', code));\n");
  workspace.write('child.mjs', "console.log('one');\n");
  expect((await workspace.node([...PRELOAD.import, 'top.mjs'])).exitCode).toBe(0);
  const verified = async (...args: string[]): Promise<{ exitCode: number | null; text: string }> => {
    const { exitCode, stdout } = await workspace.cli(args);
    return { exitCode, text: stdout.toString() };
  };
  expect(await verified('verify', '--all')).toEqual({ exitCode: 0, text: expect.stringContaining('1 identical') as string });
  workspace.write('child.mjs', "console.log('two');\n");
  const [, child] = workspace.runs();
  expect(await verified('verify', '--all')).toEqual({ exitCode: 3, text: expect.stringMatching(new RegExp(`now: +stdout: "two[^]*in a child process: run ${child} \\(child.mjs\\)`)) as string });
  // Nobody has said how the child is started then.
  expect(await verified('verify', 'latest', '--', 'node', 'top.mjs')).toMatchObject({ exitCode: 0 });
  expect(await verified('gate', '--agent', 'top.mjs')).toMatchObject({ exitCode: 3 });
});
