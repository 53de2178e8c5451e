import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { holdsBaseRule } from './base-rule.ts';

const IDS_OF_EACH = 300;

it('S11 ids of every library', async () => {
  const { bare, recorded } = await holdsBaseRule(join(PACKAGES, 'agents/s11-ids.mjs'), (stdout) => stdout.replace(/ .*$/gm, ''));
  const ids = recorded.stdout.toString().trimEnd().split('\n').map((line) => line.split(' ')[1]);
  expect(new Set(ids).size).toBe(8 * IDS_OF_EACH);
  expect(ids.filter((id) => bare.includes(id as string))).toEqual([]);
});

it('S11 checkpoints of a LangGraph keep their ids and their order, and a run resumed from one replays', async () => {
  const aside = (stdout: string): string => stdout.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replace(/\d{4}-[\d-]+T[\d:.]+Z/g, 'INSTANT').replace(/(act|answer) [\d.e-]+/g, '$1 N');
  const { recorded } = await holdsBaseRule(join(PACKAGES, 'agents/s11-checkpoints.mjs'), aside);
  const text = recorded.stdout.toString();
  const history = [...text.slice(0, text.indexOf('resumed')).matchAll(/^([0-9a-f-]{36}) /gm)].map(([, id]) => id as string);
  // Newest first; the ids are made to sort by age.
  expect(history).toHaveLength(5);
  expect(history).toEqual(history.toSorted().reverse());
  expect(text).toMatch(/^resumed \[/m);
});
