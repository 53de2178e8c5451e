/** Runs as they are kept: with all that their child processes recorded. One is no use without the other. */
import type { RunManifest } from '../../model/run.ts';
import { NativeDate, nativeFs } from '../../runtime/natives.ts';
import { payloadOf } from '../absent.ts';
import type { EmbeddedStore } from '../embedded.ts';
import type { StoredRun } from '../run-store.ts';

export interface RunTree {
  readonly root: StoredRun;
  /** The root first. */
  readonly runs: readonly StoredRun[];
  /** When its time began, milliseconds since the epoch: recorded, imported, or brought back from an archive. */
  readonly since: number;
  /** Bytes of its journals that lie in the store. */
  readonly bytes: number;
}

/** Of a folder; oldest first. */
export function treesOf(store: EmbeddedStore): RunTree[] {
  return treesOfRuns(store.list(), (id) => bytesOf(store.folderOf(id)));
}

/** @param runs newest first @param bytesIn of a run's journals @returns oldest first */
export function treesOfRuns(runs: readonly StoredRun[], bytesIn: (id: string) => number): RunTree[] {
  const all = [...runs].reverse();
  const known = new Set(all.map(({ manifest }) => manifest.id));
  const below = (id: string): StoredRun[] => all.filter(({ manifest }) => manifest.parentRunId === id).flatMap((child) => [child, ...below(child.manifest.id)]);
  const roots = all.filter(({ manifest }) => manifest.parentRunId === null || !known.has(manifest.parentRunId));
  return roots.map((root) => {
    const tree = [root, ...below(root.manifest.id)];
    return { root, runs: tree, since: sinceOf(root.manifest), bytes: tree.reduce((sum, { manifest }) => sum + bytesIn(manifest.id), 0) };
  }).sort((a, b) => a.since - b.since);
}

function sinceOf({ startedAt, imported, archived }: RunManifest): number {
  return Math.max(...[startedAt, imported?.at, archived?.restoredAt].map((time) => NativeDate.parse(time ?? '')).filter((ms) => !Number.isNaN(ms)), 0);
}

/** Bytes of the journals that lie there. */
export function bytesOf(folder: string): number {
  try {
    return nativeFs.readdirSync(folder).filter(isJournal).reduce((sum, name) => sum + nativeFs.statSync(`${folder}/${name}`).size, 0);
  } catch {
    // It is being removed at this moment.
    return 0;
  }
}

export function isJournal(name: string): boolean {
  return /^lane-\d+\.\d{4,}\.(?:journal|open)$/.test(name);
}

export function isHere({ manifest }: StoredRun): boolean {
  return payloadOf(manifest) === 'here';
}
