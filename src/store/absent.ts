/** Runs whose journal does not lie in the store any more. */
import { RunNotFoundError } from '../model/error.ts';
import type { RunManifest, Tombstone } from '../model/run.ts';

/** Where the journal of a run is. */
export type Payload = 'here' | 'archived' | Tombstone['why'];

export function payloadOf({ archived, gone }: RunManifest): Payload {
  return gone?.why ?? (archived && archived.restoredAt === null ? 'archived' : 'here');
}

const WHY: Readonly<Record<Tombstone['why'], string>> = {
  expired: 'its time was over (retention of the configuration)',
  'disk cap': 'the store had reached its disk cap (limits.disk of the configuration)',
  erased: 'it was erased on purpose, and its key destroyed',
};

/** @throws RunNotFoundError that says where the journal went */
export function requireJournal(manifest: RunManifest): void {
  const { id, archived, gone } = manifest;
  if (gone) throw new RunNotFoundError(`The recording of run ${id} is gone since ${gone.at}: ${WHY[gone.why]}. What is left is its line in replay-harness runs.`);
  if (payloadOf(manifest) === 'archived') throw new RunNotFoundError(`The recording of run ${id} lies in the archive ${archived?.to}. Bring it back: replay-harness restore ${id.slice(0, 13)}`);
}
