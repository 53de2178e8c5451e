/** A run's tape out of its journal, wherever that lies: on disk, or in a file that is being imported. */
import { readLane, type Segment } from '../journal/reader.ts';
import { IntegrityError } from '../model/error.ts';
import type { RunManifest } from '../model/run.ts';
import { nativeCrypto } from '../runtime/natives.ts';
import type { Lane, Tape } from './run-store.ts';

/**
 * @param segments of the main thread
 * @param folder what errors call the place
 * @throws IntegrityError, SealedError
 */
export function tapeOf(manifest: RunManifest, segments: readonly Segment[], keys: readonly string[] | Uint8Array, folder: string): Tape {
  requireOwn(segments, manifest.id, 0);
  if (segments.length === 0 && manifest.status === 'complete') throw new IntegrityError(`${folder} holds no journal: the recording was deleted.`);
  const lane = readLane(segments, keys);
  if (manifest.status !== 'complete' || lane.complete) return { ...lane, signal: null };
  const { signal, tail } = manifest;
  if (!signal || !tail) throw new IntegrityError(`${folder} was sealed as complete, but its journal has no end: segments were removed or cut.`);
  const last = segments[segments.length - 1];
  if (last?.file !== `${folder}/${tail.file}` || last.raw.length !== tail.bytes || sha256(last.raw) !== tail.sha256) {
    throw new IntegrityError(`${folder}/${tail.file} is not what it was when the program had ended by ${signal}: the end of its journal was altered or cut.`);
  }
  return { ...lane, signal };
}

/** @throws IntegrityError, SealedError */
export function laneOf(id: string, lane: number, segments: readonly Segment[], keys: readonly string[] | Uint8Array): Lane {
  requireOwn(segments, id, lane);
  const { events, complete } = readLane(segments, keys);
  return { lane, events, complete };
}

/** @throws IntegrityError when one belongs elsewhere */
function requireOwn(segments: readonly Segment[], run: string, lane: number): void {
  for (const { header, file } of segments) {
    if (header.run !== run) throw new IntegrityError(`${file} belongs to run ${header.run}, not to ${run}.`);
    if (header.lane !== lane) throw new IntegrityError(`${file} belongs to lane ${header.lane}, not to lane ${lane}.`);
  }
}

export function sha256(bytes: Uint8Array): string {
  return nativeCrypto.createHash('sha256').update(bytes).digest('hex');
}
