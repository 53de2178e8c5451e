/** Who may ship a run of a spool, and when. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pidNamespace, processStart } from '../../../src/store/embedded.ts';
import { Spool } from '../../../src/store/ingest/spool.ts';
import type { RunManifest } from '../../../src/model/run.ts';
import { testWorkspace } from '../../support/test-workspace.ts';

const LONG_AGO = new Date(Date.now() - 2 * 60 * 60_000);

it('a claim counts while its process lives, and one that names nobody for a moment only', async () => {
  const workspace = testWorkspace();
  const spool = new Spool(workspace.path('spool'));
  const id = '01a22a27-68c9-7000-8000-000000000000';
  const manifest = { ...(await killed(workspace.path('spool'), workspace)), id };
  expect(spool.store.create(manifest)).toContain(id);
  const file = join(spool.store.folderOf(id), 'shipping');
  expect(spool.claim(id)).toBe(true);
  expect(spool.claim(id)).toBe(false);
  spool.release(id);
  writeFileSync(file, `${process.ppid} ${processStart(process.ppid)}`);
  expect(spool.claim(id)).toBe(false);
  writeFileSync(file, `${process.pid} another start`);
  expect(spool.claim(id)).toBe(true);
  // Who was killed between making it and writing it.
  writeFileSync(file, '');
  expect(spool.claim(id)).toBe(false);
  utimesSync(file, LONG_AGO, LONG_AGO);
  expect(spool.claim(id)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(`${process.pid} ${processStart(process.pid)}`);
});

it('a run of another container, whose processes are not seen here, is left alone while it may go on', async () => {
  const workspace = testWorkspace();
  const spool = new Spool(workspace.path('spool'));
  const manifest = await killed(workspace.path('spool'), workspace);
  const leftovers = (): string[] => spool.leftovers().map(({ manifest: { id } }) => id);
  expect(manifest).toMatchObject(pidNamespace());
  expect(leftovers()).toEqual([manifest.id]);
  spool.store.write({ ...manifest, pidNamespace: 'pid:[1]' });
  expect(leftovers()).toEqual([]);
  expect(spool.store.find(manifest.id).status).toBe('recording');
  const folder = spool.store.folderOf(manifest.id);
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
  expect(leftovers()).toEqual([manifest.id]);
});

/** @returns what is said of a run that was killed */
async function killed(store: string, workspace: ReturnType<typeof testWorkspace>): Promise<RunManifest> {
  await workspace.record(workspace.write('killed.mjs', 'process.kill(process.pid, "SIGKILL");'), { env: { REPLAY_HARNESS_STORE: store } });
  return new Spool(store).store.find('latest').manifest;
}
