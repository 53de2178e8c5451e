/** A run as an entry of a bundle. */
import { sealKey } from '../../journal/crypto.ts';
import { type Segment, segmentIn } from '../../journal/reader.ts';
import { rewriteLane } from '../../journal/rewrite.ts';
import type { LaneEvent } from '../../model/event.ts';
import type { RunManifest, Underivable } from '../../model/run.ts';
import { bufferFrom, nativeCrypto, serialize } from '../../runtime/natives.ts';
import { boxSalt, packRun } from '../../store/packed-run.ts';
import type { BundleEntry } from './container.ts';

/** Exact, and for the recipients alone. */
export function exactEntry(manifest: RunManifest, segments: readonly Segment[], runKey: Buffer, recipients: readonly string[]): BundleEntry {
  const { packed, payload } = packRun(segments, { by: 'sealed', salt: boxSalt(), keys: recipients.map((recipient) => sealKey(runKey, recipient)), header: segments[0]?.header.keys ?? [] }, runKey);
  return { run: { manifest: portable(manifest), ...packed }, payload };
}

export interface StandInLane {
  readonly lane: number;
  /** Without secrets. */
  readonly events: readonly LaneEvent[];
  /** Whether its last segment was sealed. */
  readonly sealed: boolean;
}

/** For anybody. The same run gives the same bytes, which are no way to its own key. */
export function standInEntry(manifest: RunManifest, lanes: readonly StandInLane[], runKey: Buffer, underivable: readonly Underivable[]): BundleEntry {
  const { id } = manifest;
  const key = bufferFrom(nativeCrypto.hkdfSync('sha256', runKey, '', 'replay-harness stand-ins', 32));
  const segments = lanes.flatMap(({ lane, events, sealed }) => {
    // Another masking makes other events, which must not be encrypted by the same key stream.
    const content = nativeCrypto.createHmac('sha256', key).update(serialize(events)).digest();
    const salt = (segment: number): Buffer => nativeCrypto.createHmac('sha256', content).update(`${lane} ${segment}`).digest().subarray(0, 16);
    return rewriteLane(events, { run: id, lane, runKey: key, salt, sealed }).map(({ name, sealed: isSealed, raw }) => segmentIn(raw, name, isSealed) as Segment);
  });
  const { packed, payload } = packRun(segments, { by: 'clear', key: key.toString('base64url') }, key);
  const own = portable(manifest);
  const last = segments.findLast(({ header }) => header.lane === 0);
  const { tail: _tail, ...rest } = own;
  const tail = own.tail && last ? { tail: { file: last.file, bytes: last.raw.length, sha256: nativeCrypto.createHash('sha256').update(last.raw).digest('hex') } } : {};
  return { run: { manifest: { ...rest, ...tail }, ...packed, ...(underivable.length > 0 && { underivable }) }, payload };
}

/** Without what is true in one store only. */
function portable({ imported: _imported, archived: _archived, counts: _counts, pidNamespace: _namespace, ...manifest }: RunManifest): RunManifest {
  return { ...manifest, pid: 0, processStart: '' };
}
