/**
 * The chain over a store's rows: what `check` recomputes without any key. Each row of `steps` covers the one before it in
 * its lane and the reading that was made with it; `runs.chain_head` covers the last row of every lane.
 */
import { bufferConcat, jsonStringify, nativeCrypto } from '../../runtime/natives.ts';

/** Columns of `steps` that the chain covers; hashes as bytes, times as ISO 8601 with milliseconds. */
export interface ChainedStep {
  readonly run_id: string;
  readonly lane: number;
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly agent_id: string;
  readonly lamport: number;
  readonly causal_parent: number;
  readonly after: number | null;
  readonly key: Uint8Array;
  readonly input_hash: Uint8Array | null;
  readonly output_hash: Uint8Array | null;
  readonly checksum: Uint8Array;
  readonly reading_digest: Uint8Array;
  readonly started_at: string;
  readonly latency_ms: number | null;
  readonly ended: number | null;
}

/** What a row of `step_readings` says, its moved parts as the hashes of their blobs. */
export interface DigestedReading {
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly envelope: unknown;
  /** [path, hashes in hex]: of a list all that its step sees of it. */
  readonly moved: readonly (readonly [string, readonly string[]])[];
}

const NOTHING: Uint8Array = new Uint8Array();

/** @param previous of the step before in the lane; undefined: it is the lane's first. @returns `steps.chain` */
export function chainOf(step: ChainedStep, previous: Uint8Array | undefined): Buffer {
  const hex = (bytes: Uint8Array | null): string | null => bytes && bufferConcat([bytes]).toString('hex');
  const fields = [
    step.run_id, step.lane, step.step, step.kind, step.boundary, step.name, step.agent_id, step.lamport, step.causal_parent, step.after, hex(step.key), hex(step.input_hash), hex(step.output_hash),
    hex(step.checksum), hex(step.reading_digest), step.started_at, step.latency_ms, step.ended,
  ];
  return nativeCrypto.createHash('sha256').update(previous ?? NOTHING).update(`\n${jsonStringify(fields)}`).digest();
}

/** @returns `steps.reading_digest` */
export function readingDigest({ summary, input, output, error, envelope, moved }: DigestedReading): Buffer {
  const fields = [summary, input ?? null, output ?? null, error ?? null, envelope ?? null, moved];
  return nativeCrypto.createHash('sha256').update(canonical(fields)).digest();
}

/** @param chains the last `steps.chain` of each lane, lane 0 first. @returns `runs.chain_head` */
export function chainHead(chains: readonly Uint8Array[]): Buffer {
  return nativeCrypto.createHash('sha256').update(bufferConcat(chains)).digest();
}

/** JSON with sorted keys: jsonb keeps no order of its own. */
function canonical(value: unknown): string {
  return jsonStringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
