/** Puts whole runs into the embedded store: all of one, or nothing. */
import { formatKeys, KEYS_FILE, type KeysBeside } from '../journal/keys-beside.ts';
import { StoreUnavailableError } from '../model/error.ts';
import type { RunManifest } from '../model/run.ts';
import { uuidv7 } from '../model/uuid.ts';
import { nativeFs } from '../runtime/natives.ts';
import type { EmbeddedStore } from './embedded.ts';
import { makeFolder } from './make-folder.ts';
import { formatManifest } from './manifest.ts';
import type { JournalFile } from './packed-run.ts';

export interface IncomingRun {
  readonly manifest: RunManifest;
  readonly files: readonly JournalFile[];
  readonly keys: KeysBeside;
}

/** Written beside, and moved to its place when it is whole. What is left of a run that is gone makes room. @throws StoreUnavailableError */
export function placeRun(store: EmbeddedStore, { manifest, files, keys }: IncomingRun): void {
  const draft = `${store.location}/incoming-${uuidv7()}`;
  try {
    store.prepare();
    makeFolder(`${store.location}/runs`);
    makeFolder(draft);
    for (const { name, raw } of files) writeDurably(`${draft}/${name}`, raw);
    writeDurably(`${draft}/${KEYS_FILE}`, formatKeys(keys));
    writeDurably(`${draft}/manifest.json`, formatManifest(manifest));
    if (store.list().some((run) => run.manifest.id === manifest.id && run.manifest.gone !== undefined)) nativeFs.renameSync(store.folderOf(manifest.id), `${draft}.old`);
    nativeFs.renameSync(draft, store.folderOf(manifest.id));
    nativeFs.rmSync(`${draft}.old`, { recursive: true, force: true });
  } catch (error) {
    nativeFs.rmSync(draft, { recursive: true, force: true });
    throw new StoreUnavailableError(`The run ${manifest.id} cannot be written to the store ${store.location}: ${(error as Error).message}.`);
  }
}

/** On disk before anything relies on it. @throws Error of the file system */
export function writeDurably(file: string, content: string | Uint8Array): void {
  const fd = nativeFs.openSync(file, 'wx', 0o600);
  try {
    nativeFs.writeFileSync(fd, content);
    nativeFs.fsyncSync(fd);
  } finally {
    nativeFs.closeSync(fd);
  }
}
