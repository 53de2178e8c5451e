import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createMasker } from '../../../src/store/masking/masker.ts';
import { FileVault, VAULT_LOG, vaultLog } from '../../../src/store/masking/file-vault.ts';
import type { StandIn } from '../../../src/store/masking/secret.ts';
import { SqlVault } from '../../../src/store/masking/sql-vault.ts';
import { openVault, sealVault, type VaultEntry } from '../../../src/store/masking/vault.ts';
import { findLeaks, PLANTED } from '../../support/planted-secrets.ts';
import { testWorkspace } from '../../support/test-workspace.ts';

const RUN = '01a228b1-6b53-790d-a41b-fd80b622c9ec';
const runKey = randomBytes(32);
const masker = createMasker(Object.values(PLANTED).map((value) => ({ value, kind: 'token' })), runKey);
const [first, second] = [...masker.standIns().values()] as [StandIn, StandIn];

it('gives every secret back for its stand-in, and shows none before', async () => {
  const entries = sealVault(masker, runKey);
  expect(findLeaks(Buffer.concat(entries.map(({ sealed }) => sealed)))).toEqual([]);
  const vault = new FileVault(testWorkspace().folder);
  await vault.put(RUN, entries);
  await vault.put(RUN, entries);
  const opened = await openVault(vault, { run: RUN, reader: 'ana', purpose: 'a test' }, runKey);
  expect(Object.fromEntries(opened.map(({ standIn, value }) => [standIn, value]))).toEqual(Object.fromEntries([...masker.standIns().values()].map(({ standIn, value }) => [standIn, value])));
});

it('notes who asked for what before it answers', async () => {
  const { folder } = testWorkspace();
  const vault = new FileVault(folder);
  await vault.put(RUN, sealVault(masker, runKey));
  expect(vaultLog(folder)).toEqual([]);
  const [opened] = await openVault(vault, { run: RUN, standIns: [second.standIn, 'no stand-in'], reader: 'ana', purpose: 'incident 7' }, runKey);
  expect(opened).toEqual({ standIn: second.standIn, kind: 'token', value: second.value });
  await openVault(vault, { run: RUN, standIns: [first.standIn], reader: 'ben', purpose: 'incident 8' }, runKey);
  expect(vaultLog(folder).map(({ at: _at, ...access }) => access)).toEqual([{ reader: 'ana', purpose: 'incident 7', standIns: [second.standIn] }, { reader: 'ben', purpose: 'incident 8', standIns: [first.standIn] }]);
  expect(statSync(`${folder}/${VAULT_LOG}`).mode & 0o777).toBe(0o600);
  expect(findLeaks(readFileSync(`${folder}/${VAULT_LOG}`))).toEqual([]);
});

it('answers nothing where the log is no file', async () => {
  const vault = new FileVault('/dev/null');
  await vault.put(RUN, sealVault(masker, runKey));
  await expect(openVault(vault, { run: RUN, reader: 'ana', purpose: 'a test' }, runKey)).rejects.toThrow(/A secret is given out only when it is noted/);
});

it('opens with the key of its run alone, and shows an entry that was altered or moved', async () => {
  const entries = sealVault(masker, runKey);
  const question = { run: RUN, reader: 'ana', purpose: 'a test' };
  const opening = async (changed: readonly VaultEntry[], key = runKey): Promise<unknown> => {
    const vault = new FileVault(testWorkspace().folder);
    await vault.put(RUN, changed);
    return openVault(vault, question, key);
  };
  await expect(opening(entries, randomBytes(32))).rejects.toThrow(/does not open/);
  const [one, two] = entries as [VaultEntry, VaultEntry];
  await expect(opening([{ ...one, sealed: two.sealed }])).rejects.toThrow(/does not open/);
  const altered = Buffer.from(one.sealed);
  altered[20] = (altered[20] as number) ^ 1;
  await expect(opening([{ ...one, sealed: altered }])).rejects.toThrow(/does not open/);
});

it('asks a database first and opens then, by the ticket that it was given', async () => {
  const asked: [string, readonly unknown[] | undefined][] = [];
  const [entry] = sealVault(masker, runKey) as [VaultEntry];
  const vault = new SqlVault({
    query: <T>(sql: string, params?: readonly unknown[]) => {
      asked.push([sql, params]);
      return Promise.resolve((sql.includes('vault_ask') ? [{ ticket: '12' }] : [{ stand_in: entry.standIn, kind: entry.kind, sealed: entry.sealed }]) as T[]);
    },
  });
  expect(await openVault(vault, { run: RUN, standIns: [entry.standIn], reader: 'ana', purpose: 'a test' }, runKey)).toEqual([expect.objectContaining({ standIn: entry.standIn })]);
  expect(asked.map(([, params]) => params)).toEqual([[RUN, [entry.standIn], 'ana: a test'], ['12']]);
});
