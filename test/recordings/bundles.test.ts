/** Bundles of every version: what was exported once is imported, and replays, for ever. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUNDLE_VERSION } from '../../src/export/bundle/container.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const FOLDER = join(import.meta.dirname, 'bundles');
const BUNDLES = readdirSync(FOLDER).filter((name) => name.endsWith('.replay'));

it('there are bundles of the current version, of both sorts', () => {
  expect(BUNDLES).toEqual(expect.arrayContaining([`v${BUNDLE_VERSION}-exact.replay`, `v${BUNDLE_VERSION}-stand-ins.replay`]));
});

it.each(BUNDLES)('%s is imported, reads and replays', async (bundle) => {
  const host = testWorkspace(bundle.includes('exact') ? { REPLAY_HARNESS_IDENTITY: join(import.meta.dirname, 'v1', 'identity') } : {});
  const imported = await host.cli(['import', join(FOLDER, bundle), '--json']);
  expect(imported.exitCode, imported.stderr.toString()).toBe(0);
  const { run } = JSON.parse(imported.stdout.toString()) as { run: string };
  expect(await host.cli(['check', '--all'])).toMatchObject({ exitCode: 0 });
  const [listed] = JSON.parse((await host.cli(['runs', '--json'])).stdout.toString()) as [{ node: string }];
  const replayed = await host.replay(run, { args: ['--', 'node', join(FOLDER, 'agent.mjs'), 'an', 'argument'] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0, fidelity: process.version === listed.node ? 'exact' : 'semantic' });
  expect(replayed.stdout).toEqual(readFileSync(join(FOLDER, 'stdout.txt')));
});
