import { describe, expect, it } from 'vitest';
import { killAndReplay } from '../support/killing.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

const KILLS = Number(process.env['KILLS'] ?? 8);

describe('a process that is killed', () => {
  it.each(Array.from({ length: KILLS }, (_, i) => i + 1))('leaves a recording that opens and replays to its last event (%i)', killAndReplay);

  it('loses nothing by process.exit() in the tick of the last await', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const recorded = await workspace.record('exit-in-tick.mjs', { env: server.env });
    expect(recorded.exitCode).toBe(3);
    await server.stop();
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'identical' } });
    expect(replayed.stdout).toEqual(recorded.stdout);
    expect(recorded.stdout.toString()).toMatch(/^last line /);
  });
});
