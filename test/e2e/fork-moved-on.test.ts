/** A fork tells what is no longer as the program found it. */
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { forkRun, stepsOf } from '../support/forks.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

it('files that were read before and have changed, or are gone, and how late the clock is', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  for (const name of ['same.txt', 'changed.txt', 'gone.bin', 'later.txt']) workspace.write(name, Buffer.from([0xff, ...Buffer.from(name)]));
  const agent = workspace.write('reads.mjs', `
    import { readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    console.log(readFileSync('same.txt').length, (await readFile('changed.txt')).length, readFileSync('gone.bin').length);
    const { id } = await (await fetch(process.env.SERVER_URL + '/json')).json();
    console.log(id === 'other', readFileSync('later.txt').length);`);
  await workspace.record(agent, { env: server.env });
  workspace.write('changed.txt', 'changed');
  workspace.write('later.txt', 'changed');
  rmSync(workspace.path('gone.bin'));
  const question = (await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step;
  const fork = await forkRun(workspace, ['latest', '--at', String(question), '--set', 'body.id="other"']);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: '9 12 9\ntrue 10\n' });
  expect(fork.stderr).toMatch(/\n {2}since the recording: changed\.txt has changed, gone\.bin is gone\n$/);
  expect(fork.report).toMatchObject({ movedOn: { files: [{ path: 'changed.txt', change: 'changed' }, { path: 'gone.bin', change: 'gone' }], clockBehindMs: expect.any(Number) as number } });
});
