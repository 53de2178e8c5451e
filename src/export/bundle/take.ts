/** Takes a bundle apart. Nothing is written before all of it is known to be sound, and nothing in it is run. */
import { sealKey } from '../../journal/crypto.ts';
import { type Segment, segmentIn } from '../../journal/reader.ts';
import { IntegrityError, SealedError } from '../../model/error.ts';
import type { Import } from '../../model/run.ts';
import type { IncomingRun } from '../../store/intake.ts';
import { laneOf, tapeOf } from '../../store/journal-tape.ts';
import { unpackRun } from '../../store/packed-run.ts';
import { type BundledRun, type BundleEntry, type BundleHeader, decodeBundle } from './container.ts';
import { checkFacts } from './facts.ts';
import { checkRun } from './validate.ts';

export interface Taken {
  readonly header: BundleHeader;
  /** The exported run last: when it is there, all of it is. */
  readonly runs: readonly IncomingRun[];
}

export interface Receiver {
  readonly identities: readonly string[];
  /** Public keys that what is imported is sealed to. */
  readonly recipients: readonly string[];
  /** Bytes that may be made of it. */
  readonly most: number;
  /** ISO 8601. */
  readonly now: string;
}

/** @param file what errors call it @throws IntegrityError, SealedError */
export function takeBundle(file: string, bytes: Buffer, receiver: Receiver): Taken {
  const { header, entries } = decodeBundle(file, bytes, receiver.most);
  try {
    const total = entries.reduce((sum, { run }) => sum + sizeOf(run), 0);
    if (total > receiver.most) throw new IntegrityError(`it holds ${total} bytes of journals; the disk cap of the store is ${receiver.most}. If you trust where it comes from, raise limits.disk in replay-harness.json`);
    const runs = entries.map((entry) => takeRun(entry, header, receiver));
    const ids = runs.map(({ manifest }) => manifest.id);
    if (new Set(ids).size !== ids.length) throw new IntegrityError('a run is in it twice');
    if (!ids.includes(header.run) || ids.length !== header.runs) throw new IntegrityError('it does not hold the runs that it says');
    return { header, runs: runs.sort((a, b) => Number(a.manifest.id === header.run) - Number(b.manifest.id === header.run)) };
  } catch (error) {
    if (error instanceof SealedError) throw new SealedError(`${file} cannot be opened: ${error.message}`);
    if (error instanceof IntegrityError) throw new IntegrityError(`${file} is damaged, or was made by hand: ${error.message.replace(/\.$/, '')}.`);
    throw error;
  }
}

/** Before anything is made of it; what it says may be anything. */
function sizeOf(run: BundledRun): number {
  checkRun(run);
  return run.segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

function takeRun({ run, payload }: BundleEntry, { content }: BundleHeader, { identities, recipients, now }: Receiver): IncomingRun {
  const { manifest, protection, underivable } = run;
  if ((protection.by === 'clear') !== (content === 'stand-ins')) throw new IntegrityError(`run ${manifest.id} is protected in another way than the bundle says`);
  const { files, runKey } = unpackRun(run, payload, { identities });
  const segments = files.map(({ name, raw }, index) => segmentIn(raw, `${manifest.id}/${name}`, run.segments[index]?.sealed ?? true));
  if (segments.some((segment) => !segment)) throw new IntegrityError(`a part of the journal of run ${manifest.id} ends within its header`);
  verify(run, segments as Segment[], runKey as Buffer);
  const imported: Import = { at: now, content, ...(underivable && { underivable }) };
  const keys = protection.by === 'sealed' ? { keys: protection.keys, header: protection.header } : { keys: recipients.map((recipient) => sealKey(runKey as Buffer, recipient)), header: [] };
  return { manifest: { ...manifest, imported }, files, keys };
}

/** Reads all of it, as every verb will. */
function verify({ manifest }: BundledRun, segments: readonly Segment[], runKey: Buffer): void {
  const lanes = [...new Set([0, ...segments.map(({ header }) => header.lane)])];
  for (const lane of lanes) {
    const own = segments.filter(({ header }) => header.lane === lane).sort((a, b) => a.header.segment - b.header.segment);
    const gap = own.findIndex(({ header }, index) => header.segment !== index);
    if (gap >= 0) throw new IntegrityError(`segment ${gap} of lane ${lane} of run ${manifest.id} is missing`);
    if (own.slice(0, -1).some(({ sealed }) => !sealed)) throw new IntegrityError(`lane ${lane} of run ${manifest.id} goes on after its end`);
    const { events } = lane === 0 ? tapeOf(manifest, own, runKey, manifest.id) : laneOf(manifest.id, lane, own, runKey);
    checkFacts(events, manifest.id, lane);
  }
}

/** Whether the journal that lies here is the one that would come. */
export function isSame(here: readonly Segment[], { files }: IncomingRun): boolean {
  const own = new Map(here.map(({ file, raw }) => [file.slice(file.lastIndexOf('/') + 1), raw]));
  return own.size === files.length && files.every(({ name, raw }) => own.get(name)?.equals(raw) === true);
}
