/** A sealed run as the ingester takes it: its lanes, from the journals in its folder. */
import { keysBeside } from '../../journal/keys-beside.ts';
import { readLane, readSegments } from '../../journal/reader.ts';
import type { SealedKey } from '../../journal/format.ts';
import { IntegrityError } from '../../model/error.ts';
import type { LaneEvent, RunFacts } from '../../model/event.ts';
import type { RunManifest } from '../../model/run.ts';
import { nativeFs } from '../../runtime/natives.ts';
import { interpret, type Step } from '../../steps/classify.ts';
import { clocksOf } from '../../steps/lanes.ts';

export interface ReadLane {
  readonly lane: number;
  readonly events: readonly LaneEvent[];
  readonly head: string;
}

export interface ReadRun {
  readonly manifest: RunManifest;
  readonly status: 'complete' | 'truncated';
  /** Of the main thread first. */
  readonly lanes: readonly ReadLane[];
  /** undefined: nothing was recorded. */
  readonly facts: RunFacts | undefined;
  readonly runKey: Buffer | undefined;
  /** Of the header of its segments. */
  readonly keys: readonly SealedKey[];
  /** Those that lie beside the journal, where the header is sealed to others. */
  readonly beside?: readonly SealedKey[];
}

/** @param keys private keys, or the run's own key @throws IntegrityError when the journal is damaged @throws SealedError when no key opens it */
export function readRun(folder: string, manifest: RunManifest, status: ReadRun['status'], keys: readonly string[] | Uint8Array): ReadRun {
  let runKey: Buffer | undefined;
  let sealed: readonly SealedKey[] = [];
  const lanes = lanesIn(folder).map((lane) => {
    const segments = readSegments(folder, lane);
    for (const { file, header } of segments) if (header.run !== manifest.id || header.lane !== lane) throw new IntegrityError(`${file} belongs to lane ${header.lane} of run ${header.run}, not to lane ${lane} of ${manifest.id}.`);
    const { events, head, runKey: key } = readLane(segments, runKey ?? keys);
    runKey ??= key;
    if (sealed.length === 0) sealed = segments[0]?.header.keys ?? [];
    return { lane, events, head };
  });
  const [begin] = lanes[0]?.events ?? [];
  return { manifest, status, lanes, facts: begin?.type === 'begin' ? begin.facts : undefined, runKey, keys: sealed, beside: besideOf(folder, sealed) };
}

/** Of a run that lay in an archive once, the header's lie there as well. */
function besideOf(folder: string, header: readonly SealedKey[]): readonly SealedKey[] {
  const known = new Set(header.map(({ box }) => box));
  return (keysBeside(folder)?.keys ?? []).filter(({ box }) => !known.has(box));
}

/** Numbers of the lanes that a folder holds journals of. */
export function lanesIn(folder: string): number[] {
  const numbers = new Set(nativeFs.readdirSync(folder).flatMap((name) => /^lane-(\d+)\.\d+\.(?:journal|open)$/.exec(name)?.[1] ?? []).map(Number));
  return [...numbers].sort((a, b) => a - b);
}

export type RandomOf = (seed: string) => () => number;

/** @returns the steps of each lane, one lane at a time */
export function* stepsOf(lanes: readonly ReadLane[], random: RandomOf): Generator<{ readonly lane: number; readonly steps: readonly Step[] }> {
  const clocks = lanes.length > 1 ? clocksOf(lanes) : undefined;
  for (const { lane, events } of lanes) yield { lane, steps: interpret(events, { random, clock: clocks?.get(lane), digests: true }) };
}
