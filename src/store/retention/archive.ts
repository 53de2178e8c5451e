/** Moves the journal of a run into an archive, and back. Its keys stay in the store: destroying them erases the archive, too. */
import { formatKeys, KEYS_FILE, keysBeside } from '../../journal/keys-beside.ts';
import { runKeyIn } from '../../journal/run-key.ts';
import { ConfigError, HarnessError, IntegrityError, SealedError } from '../../model/error.ts';
import type { Archived, Counts, RunManifest } from '../../model/run.ts';
import { uuidv7 } from '../../model/uuid.ts';
import { bufferConcat, bufferFrom, jsonParse, jsonStringify, nativeFs } from '../../runtime/natives.ts';
import { payloadOf } from '../absent.ts';
import type { EmbeddedStore } from '../embedded.ts';
import { writeDurably } from '../intake.ts';
import { sha256 } from '../journal-tape.ts';
import { boxSalt, type PackedRun, packRun, unpackRun } from '../packed-run.ts';
import type { StoredRun } from '../run-store.ts';
import { type ArchivePlace, objectOf } from './archive-place.ts';
import { isJournal } from './trees.ts';

/** "RHARCH\r\n" · u16 version · u32 length · JSON {@link PackedRun} · payload. Numbers are little-endian. */
const MAGIC = 'RHARCH\r\n';
const VERSION = 1;
const PREFIX_BYTES = MAGIC.length + 6;

export interface ArchiveOptions {
  readonly place: ArchivePlace;
  readonly identities: readonly string[];
  /** ISO 8601. */
  readonly now: string;
  readonly counts: Counts | undefined;
}

/**
 * Removes the journal from the store when the archive is known to hold it. Killed at any point, it can be done again.
 * @throws IntegrityError for a run that is damaged: it stays where it is @throws StoreUnavailableError
 */
export async function archiveRun(store: EmbeddedStore, run: StoredRun, { place, identities, now, counts }: ArchiveOptions): Promise<void> {
  const { manifest } = run;
  const folder = store.folderOf(manifest.id);
  const archived = (await stillThere(manifest, place)) ?? (await putInArchive(store, run, { place, identities, now }));
  store.write({ ...manifest, archived: { ...archived, restoredAt: null }, ...(counts && { counts }) });
  removeJournal(folder);
}

/** Of a run that was brought back: nothing new has to be said. @returns what lies there already */
export async function stillThere({ archived }: RunManifest, place: ArchivePlace): Promise<Archived | undefined> {
  if (archived?.to !== place.to) return undefined;
  try {
    return sha256(await place.get(archived.object)) === archived.sha256 ? archived : undefined;
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

/** Writes the object of a run, and its keys beside its journal, which stays. @throws as `archiveRun` */
export async function putInArchive(store: EmbeddedStore, run: StoredRun, { place, identities, now: at }: Omit<ArchiveOptions, 'counts'>): Promise<Archived> {
  const folder = store.folderOf(run.manifest.id);
  const runKey = keyOf(store, run, identities);
  const segments = store.segments(run);
  const header = segments[0]?.header.keys ?? [];
  const { packed, payload } = packRun(segments, runKey ? { by: 'kept', salt: boxSalt() } : { by: 'raw' }, runKey);
  // What was packed can be unpacked, before anything is taken away.
  unpackRun(packed, payload, { identities, header, runKey });
  const object = objectOf(run.manifest.id);
  const bytes = encode(packed, payload);
  await place.put(object, bytes);
  const digest = sha256(bytes);
  if (sha256(await place.get(object)) !== digest) throw new IntegrityError(`The archive ${place.to} gave back something else than ${object}: the run stays in the store.`);
  replaceDurably(`${folder}/${KEYS_FILE}`, formatKeys({ keys: segments[0]?.keys ?? [], header }));
  return { to: place.to, object, at, bytes: bytes.length, sha256: digest, restoredAt: null };
}

/** @returns undefined on a host that cannot read the run: it is archived as it is @throws IntegrityError when it is damaged */
function keyOf(store: EmbeddedStore, run: StoredRun, identities: readonly string[]): Buffer | undefined {
  try {
    store.lanes(run, identities);
    return store.tape(run, identities).runKey;
  } catch (error) {
    if (error instanceof SealedError) return undefined;
    throw error;
  }
}

/** Brings the journal back, byte for byte. @throws IntegrityError, SealedError, StoreUnavailableError */
export async function restoreRun(store: EmbeddedStore, { manifest }: StoredRun, { place, identities, now }: Omit<ArchiveOptions, 'counts'>): Promise<void> {
  const { archived, id } = manifest;
  if (!archived) throw new ConfigError(`Run ${id} is not in an archive.`);
  const bytes = await place.get(archived.object);
  if (sha256(bytes) !== archived.sha256) throw new IntegrityError(`${archived.object} in the archive ${archived.to} is not what was put there: its checksum does not match.`);
  const folder = store.folderOf(id);
  const { packed, payload } = decode(bytes, archived.object);
  const beside = keysBeside(folder);
  const runKey = packed.protection.by === 'raw' ? undefined : runKeyIn(folder, identities);
  if (packed.protection.by !== 'raw' && !runKey) throw new SealedError(`Run ${id} is sealed to ${beside?.keys.map(({ recipient }) => recipient).join(', ') ?? 'a key that is gone'}, and no identity here opens it. Set REPLAY_HARNESS_IDENTITY to the private key that belongs to it.`);
  try {
    for (const { name, raw } of unpackRun(packed, payload, { identities, header: beside?.header ?? [], runKey }).files) replaceDurably(`${folder}/${name}`, raw);
  } catch (error) {
    throw error instanceof HarnessError ? new IntegrityError(`${archived.object} in the archive ${archived.to} cannot be brought back: ${error.message}`) : error;
  }
  store.write({ ...manifest, archived: { ...archived, restoredAt: now } });
}

export function removeJournal(folder: string): void {
  for (const name of nativeFs.readdirSync(folder).filter(isJournal)) nativeFs.rmSync(`${folder}/${name}`, { force: true });
}

function replaceDurably(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${uuidv7()}.new`;
  try {
    writeDurably(draft, content);
    nativeFs.renameSync(draft, file);
  } finally {
    nativeFs.rmSync(draft, { force: true });
  }
}

function encode(packed: PackedRun, payload: Buffer): Buffer {
  const text = bufferFrom(jsonStringify(packed));
  const head = bufferFrom(`${MAGIC}      `, 'latin1');
  head.writeUInt16LE(VERSION, MAGIC.length);
  head.writeUInt32LE(text.length, MAGIC.length + 2);
  return bufferConcat([head, text, payload]);
}

/** The checksum in the manifest has vouched for all of it. */
function decode(bytes: Buffer, object: string): { readonly packed: PackedRun; readonly payload: Buffer } {
  const version = bytes.latin1Slice(0, MAGIC.length) === MAGIC ? bytes.readUInt16LE(MAGIC.length) : 0;
  if (version !== VERSION) throw new IntegrityError(`${object} is an archive of version ${version}; this replay-harness reads version ${VERSION}. Update replay-harness to the version that wrote it, or newer.`);
  const end = PREFIX_BYTES + bytes.readUInt32LE(MAGIC.length + 2);
  return { packed: jsonParse(bytes.utf8Slice(PREFIX_BYTES, end)) as PackedRun, payload: bytes.subarray(end) };
}

/** Finishes what was begun by a process that was killed: the journals of runs that have left are taken away, and drafts. */
export function sweep(store: EmbeddedStore): void {
  for (const { manifest } of store.list()) {
    const folder = store.folderOf(manifest.id);
    if (payloadOf(manifest) !== 'here') removeJournal(folder);
    if (manifest.gone) nativeFs.rmSync(`${folder}/${KEYS_FILE}`, { force: true });
  }
}
