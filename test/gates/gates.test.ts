/**
 * No gate is idle: whichever is left out of the package, a program that needs it is no longer quietly replayed as identical.
 * With all of them in place the same programs are.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENTS, DIST } from '../support/paths.ts';
import { TestServer } from '../support/server.ts';
import { Workspace } from '../support/workspace.ts';
import { INSTALLS, LISTS, NO_GATES, type Noticed, type Row } from './rows.ts';
import { type Gate, gates, Variants } from './without.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const variants = new Variants();
const { installs, lists } = gates();

beforeAll(() => variants.build());
afterAll(() => variants.remove());

/** Records and replays by the package in that folder. @returns what somebody who looks at it sees; `identical` if nothing */
async function outcome(row: Row, dist: string, args: readonly string[] = []): Promise<Noticed | 'identical'> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder);
  try {
    await server.start();
    for (const name of [row.agent, 'collect.mjs']) copyFileSync(join(AGENTS, 'gates', name), workspace.path(name));
    row.prepare?.(workspace);
    const [agent, options] = [workspace.path(row.agent), { output: row.output, env: server.env, args }];
    const nodeArgs = [...(row.nodeArgs ?? []), '--import', join(dist, 'loader/register.mjs')];
    const recorded = row.onlyInReplay ? await workspace.record(agent, { ...options, preload: 'cli' }) : await workspace.bare(agent, { ...options, nodeArgs });
    expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
    if (/^replay-harness: not captured: /m.test(`${recorded.stderr}${recorded.stdout}`)) return 'named';
    row.spoil?.(workspace);
    await server.stop();
    const { report } = await workspace.replay('latest', { dist });
    return report ? (report.verdict as Noticed | 'identical') : 'no verdict';
  } finally {
    await server.stop();
    workspace.remove();
  }
}

describe('each gate has a row', () => {
  it('installations', () => expect(Object.keys(INSTALLS).sort()).toEqual([...installs].sort()));
  it('lists of what is patched', () => expect([...Object.keys(LISTS), ...Object.keys(NO_GATES)].sort()).toEqual([...lists.keys()].sort()));
});

describe.concurrent('an installation that is left out is noticed', () => {
  for (const [gate, row] of Object.entries(INSTALLS)) {
    it.skipIf(row.node && !row.node(NODE_MAJOR))(`${gate}: ${row.noticed}`, async () => {
      expect(await outcome(row, DIST), 'with all gates').toBe(row.withAll ?? 'identical');
      expect(await outcome(row, variants.without(gate))).toBe(row.noticed);
    });
  }
});

describe.concurrent('an entry of a list that is left out is noticed', () => {
  for (const [list, row] of Object.entries(LISTS)) {
    it(`${list}, with all gates`, async () => expect(await outcome(row, DIST)).toBe(row.withAll ?? 'identical'));
    for (const entry of (lists.get(list) ?? []).filter(row.exists ?? (() => true))) {
      const gate: Gate = `${list}/${entry}`;
      const noticed = row.others?.[entry] ?? row.noticed;
      it(`${gate}: ${noticed}`, async () => expect(await outcome(row, variants.without(gate), [entry])).toBe(noticed));
    }
  }
});
