/** Runs whose journal lies in an archive: whoever asks for one gets it. What archives are made of is loaded for those alone. */
import { createHash } from 'node:crypto';
import { ConfigError, HarnessError, IntegrityError } from '../model/error.ts';
import type { Config } from '../model/config.ts';
import type { Archived, RunManifest } from '../model/run.ts';
import { payloadOf } from '../store/absent.ts';
import { loadConfig } from '../store/configuration.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import type { StoredRun } from '../store/run-store.ts';

/** @param say default: on standard error @returns the run, brought back from its archive if need be, which is said @throws HarnessError */
export async function broughtBack(store: EmbeddedStore, run: StoredRun, say: (text: string) => void = (text) => void process.stderr.write(text)): Promise<StoredRun> {
  if (payloadOf(run.manifest) !== 'archived') return run;
  await bringBack(store, run);
  say(`replay-harness: brought run ${run.manifest.id} back from the archive ${run.manifest.archived?.to}\n`);
  return store.find(run.manifest.id);
}

export async function bringBack(store: EmbeddedStore, run: StoredRun): Promise<void> {
  const { restoreRun } = await import('../store/retention/archive.ts');
  await restoreRun(store, run, { place: await placeOf(run.manifest.archived as Archived), identities: identities(process.env), now: new Date().toISOString() });
}

/** @throws IntegrityError when the archive holds something else than what was put there */
export async function checkArchived({ manifest }: StoredRun): Promise<void> {
  const archived = manifest.archived as Archived;
  const bytes = await (await placeOf(archived)).get(archived.object);
  if (createHash('sha256').update(bytes).digest('hex') !== archived.sha256) throw new IntegrityError(`${archived.object} in the archive ${archived.to} is not what was put there: its checksum does not match.`);
}

/** Where a run is said to lie. */
export async function placeOf({ to }: Archived): Promise<ArchivePlace> {
  const { retention } = loadConfig(process.env, process.cwd());
  const { placeAt } = await import('../store/retention/place.ts');
  return placeAt(to, { s3: retention?.s3, base: process.cwd() });
}

/** Out of the archive that a run lies in. @returns what could not be removed there, for people; '' where nothing is left */
export async function removeFromArchive({ archived }: RunManifest): Promise<string> {
  if (!archived) return '';
  try {
    await (await placeOf(archived)).remove(archived.object);
    return '';
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return `; its object ${archived.object} is still in ${archived.to}, and can be opened no more (${error.message})`;
  }
}

/** Where the configuration wants runs to be archived; a relative folder is meant from the one that the store lies in. @throws ConfigError */
export async function configuredPlace({ retention }: Config, store: EmbeddedStore): Promise<ArchivePlace> {
  if (retention?.to === undefined) throw new ConfigError('No archive is configured. Name one in replay-harness.json: "retention": {"to": "FOLDER"}, or "s3://BUCKET/PREFIX" (docs/retention.md).');
  const { placeAt } = await import('../store/retention/place.ts');
  return placeAt(retention.to, { s3: retention.s3, base: store.location.slice(0, store.location.lastIndexOf('/')) });
}
