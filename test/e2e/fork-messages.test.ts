/** Messages between two ends in one thread, in forks: those on their way at the fork point arrive, and so do those that are posted later. */
import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { forkRun, type Step, stepsOf } from '../support/forks.ts';
import { Workspace } from '../support/workspace.ts';

describe('messages within a thread', () => {
  let workspace: Workspace;
  let printed: string;
  let run: string;
  let steps: readonly (Step & { readonly summary: string })[];

  beforeAll(async () => {
    workspace = new Workspace();
    const agent = workspace.write('messages.mjs', `
      import { setTimeout as sleep } from 'node:timers/promises';
      import { receiveMessageOnPort } from 'node:worker_threads';
      let left = 0, all;
      const heard = (who, message) => {
        console.log(who, message);
        if (who !== 'polled' && message !== 'closed' && --left === 0) all();
      };
      const { port1, port2 } = new MessageChannel();
      port2.on('message', (message) => {
        heard('port', message.text ?? message.port.constructor.name);
        message.port?.on('message', (more) => heard('moved' + message.round, more));
        message.port?.on('close', () => heard('moved' + message.round, 'closed'));
        if (message.text?.startsWith('ask')) port2.postMessage(message.text.replace('ask', 'answer'));
      });
      port1.on('message', (message) => heard('other', message));
      port2.on('close', () => heard('port', 'closed'));
      const one = new BroadcastChannel('b'), two = new BroadcastChannel('b'), three = new BroadcastChannel('other');
      for (const [name, channel] of Object.entries({ one, two, three })) channel.onmessage = ({ data }) => heard(name, data);
      const polled = new MessageChannel();
      for (let round = 0; round < 3; round++) {
        port1.postMessage({ text: 'ask ' + round, bytes: new Uint8Array(round) });
        const moved = new MessageChannel();
        moved.port1.postMessage('early ' + round);
        port1.postMessage({ port: moved.port2, round }, [moved.port2]);
        moved.port1.postMessage('late ' + round);
        one.postMessage(['to two', round]);
        two.postMessage(['to one', round]);
        polled.port1.postMessage('polled ' + round);
        heard('polled', [receiveMessageOnPort(polled.port2), receiveMessageOnPort(polled.port2)]);
        left = 7;
        await new Promise((resolve) => { all = resolve; });
        moved.port1.close();
      }
      port1.postMessage({ text: 'last' });
      port1.close();
      for (const channel of [one, two, three]) channel.close();
      polled.port1.close();
      await sleep(20);
      heard('done', Math.floor(Math.random() * 1000));`);
    printed = (await workspace.record(agent)).stdout.toString();
    run = workspace.runs()[0] as string;
    steps = (await stepsOf(workspace)) as (Step & { readonly summary: string })[];
  });

  afterAll(() => workspace.remove());

  /** What each of them has heard, in order. */
  const heardBy = (text: string): Map<string, string[]> => {
    const heard = new Map<string, string[]>();
    for (const line of text.split('\n')) heard.set(line.split(' ')[0] as string, [...(heard.get(line.split(' ')[0] as string) ?? []), line]);
    return heard;
  };

  it('arrive, those that were on their way and those that are posted later, and the fork replays', async () => {
    const at = (words: string): number => steps.findIndex(({ boundary, summary }) => boundary === 'stdout' && summary.includes(words));
    const polled = at("polled 1'");
    const places = [polled, polled + 2, at('port ask 1') + 1, at('port last') - 1];
    for (const step of places.map((place) => steps[place]?.step)) {
      const fork = await forkRun(workspace, [run, '--at', String(step)]);
      expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical', liveCalls: 0 } });
      expect(heardBy(fork.stdout)).toEqual(heardBy(printed));
      const replayed = await workspace.replay(fork.report?.runId);
      expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
      expect(replayed.stdout.toString()).toBe(fork.stdout);
    }
  });
});
