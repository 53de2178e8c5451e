/** Takes the journal of a run away for good, and its keys with it: whatever copy of it lies elsewhere can be opened no more. */
import { KEYS_FILE } from '../../journal/keys-beside.ts';
import { HarnessError } from '../../model/error.ts';
import type { Counts, Tombstone } from '../../model/run.ts';
import { nativeFs } from '../../runtime/natives.ts';
import type { EmbeddedStore } from '../embedded.ts';
import { SUMMARY_FILE } from '../summary.ts';
import type { StoredRun } from '../run-store.ts';
import { bytesOf, isHere, isJournal } from './trees.ts';

export interface Burial {
  readonly why: Tombstone['why'];
  /** ISO 8601. */
  readonly now: string;
  readonly identities: readonly string[];
  readonly counts: Counts | undefined;
}

/** The tombstone is there before anything goes: killed at any point, it can be done again. */
export function buryRun(store: EmbeddedStore, run: StoredRun, { why, now, identities, counts }: Burial): void {
  const { manifest } = run;
  const folder = store.folderOf(manifest.id);
  const journals = nativeFs.readdirSync(folder).filter(isJournal);
  const bytes = bytesOf(folder);
  const gone: Tombstone = manifest.gone ?? { at: now, why, bytes: bytes || (manifest.archived?.bytes ?? 0), head: headOf(store, run, identities) };
  store.write({ ...manifest, gone, ...(counts && { counts }) });
  for (const name of [KEYS_FILE, SUMMARY_FILE, ...journals]) destroy(`${folder}/${name}`, why === 'erased');
}

/** @param overwritten first: what a file system keeps of a removed file is no longer the key. Of one that copies on write no promise can be made */
function destroy(file: string, overwritten: boolean): void {
  if (!nativeFs.existsSync(file)) return;
  if (overwritten) {
    const fd = nativeFs.openSync(file, 'r+');
    try {
      // The head of a journal holds the sealed key; without it the rest is noise.
      const length = Math.min(nativeFs.fstatSync(fd).size, HEAD_BYTES);
      nativeFs.writeSync(fd, new Uint8Array(length), 0, length, 0);
      nativeFs.fsyncSync(fd);
    } finally {
      nativeFs.closeSync(fd);
    }
  }
  nativeFs.rmSync(file, { force: true });
}

const HEAD_BYTES = 64 * 1024;

/** @returns null where the run cannot be read */
function headOf(store: EmbeddedStore, run: StoredRun, identities: readonly string[]): string | null {
  if (!isHere(run) || run.damage) return null;
  try {
    return store.tape(run, identities).head;
  } catch (error) {
    if (error instanceof HarnessError) return null;
    throw error;
  }
}
