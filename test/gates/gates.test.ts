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
import { INSTALLS, LISTS, NODE_MAJOR, type Noticed, type Row, WITHOUT_ROW } from './rows.ts';
import { type Gate, gates, Variants } from './without.ts';

const variants = new Variants();
const { installs, lists } = gates();

beforeAll(() => variants.build());
afterAll(() => variants.remove());

type Outcome = Noticed | 'identical';

/** Records by one package and replays by another. @returns what somebody who looks at it sees; `identical` if nothing */
async function outcome(row: Row, dist: string, args: readonly string[] = []): Promise<Outcome> {
  return (await outcomes(row, dist, [dist], args))[0] as Outcome;
}

async function outcomes(row: Row, recorder: string, replayers: readonly string[], args: readonly string[]): Promise<Outcome[]> {
  const workspace = new Workspace();
  const server = new TestServer(workspace.folder);
  try {
    await server.start();
    for (const name of [row.agent, 'collect.mjs']) copyFileSync(join(AGENTS, 'gates', name), workspace.path(name));
    row.prepare?.(workspace);
    const [agent, options] = [workspace.path(row.agent), { output: row.output, env: server.env, args }];
    const nodeArgs = [...(row.nodeArgs ?? []), '--import', join(recorder, 'loader/register.mjs')];
    const recorded = row.onlyInReplay ? await workspace.record(agent, { ...options, preload: 'cli' }) : await workspace.bare(agent, { ...options, nodeArgs });
    if (recorded.exitCode !== 0 && recorder !== DIST) return replayers.map(() => 'broken');
    expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
    if (/^replay-harness: not captured: /m.test(`${recorded.stderr}${recorded.stdout}`)) return replayers.map(() => 'named');
    row.spoil?.(workspace);
    await server.stop();
    const found: Outcome[] = [];
    for (const dist of replayers) found.push(((await workspace.replay('latest', { dist })).report?.verdict as Outcome | undefined) ?? 'no verdict');
    return found;
  } finally {
    await server.stop();
    workspace.remove();
  }
}

it('each gate has a row, or a reason why not', () => {
  const known = [...Object.keys(INSTALLS), ...Object.keys(LISTS), ...Object.keys(WITHOUT_ROW)].sort();
  expect(known).toEqual([...installs, ...lists.keys()].sort());
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
    const entries = (lists.get(list) ?? []).filter(row.exists ?? (() => true));
    const expected = (entry: string): Noticed => row.others?.[entry] ?? row.noticed;
    const without = (entry: string): string => variants.without(`${list}/${entry}` satisfies Gate);
    it(`${list}, with all gates`, async () => expect(await outcome(row, DIST)).toBe(row.withAll ?? 'identical'));
    if (row.onlyInReplay) {
      it(`each of ${list}`, { timeout: 300_000 }, async () => {
        const found = await outcomes(row, DIST, entries.map(without), entries);
        expect(entries.map((entry, at) => [entry, found[at]])).toEqual(entries.map((entry) => [entry, expected(entry)]));
      });
      continue;
    }
    for (const entry of entries) it(`${list}/${entry}: ${expected(entry)}`, async () => expect(await outcome(row, without(entry), [entry])).toBe(expected(entry)));
  }
});
