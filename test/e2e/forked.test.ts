/** A recorded program whose parent speaks with it by IPC, and is no part of the recording. */
import { expect, it } from 'vitest';
import { agentPath, PRELOAD } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { withoutOwn } from '../support/own-lines.ts';

const PARENT = `
import { fork } from 'node:child_process';
const [agent, serialization, ending, ...execArgv] = process.argv.slice(2);
const child = fork(agent, [serialization, ending], { execArgv, serialization, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
child.on('message', (message) => {
  if (message.large) {
    child.send({ length: message.large.length });
    if (ending === 'waits') child.disconnect();
  } else child.send({ ...message, back: Math.random() });
});
child.on('exit', (code) => { process.exitCode = code; });
`;

it.each([['json', 'leaves'], ['json', 'waits'], ['advanced', 'leaves'], ['advanced', 'waits']])('%s messages; the channel is closed by %s', async (...args) => {
  const workspace = testWorkspace();
  const parent = workspace.write('parent.mjs', PARENT);
  for (const preload of [PRELOAD.require, PRELOAD.import]) {
    const recorded = await workspace.node([parent, agentPath('children/forked.mjs'), ...args, ...preload]);
    expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 3 });
    expect(recorded.stderr.toString()).toBe('');
    expect(recorded.stdout.toString()).toMatch(/300000\ndisconnected false\n$/);
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
    expect(withoutOwn(replayed.stderr)).toEqual(recorded.stderr);
    expect(replayed.exitCode).toBe(3);
  }
});
