/** The steps of a run as its rows have them: masked, and readable without any key. */
import { IntegrityError } from '../../model/error.ts';
import { asObject, parseJson } from '../../steps/json.ts';
import type { Boundary, Envelope, ModelToolCall, Step, StepError, StepKind } from '../../steps/step.ts';
import { type Blob, decodeBlob } from '../ingest/blob-codec.ts';
import { namedIn, restore } from '../ingest/elide.ts';
import { unescapeText } from '../ingest/jsonb-text.ts';
import { movedIn } from '../ingest/packs.ts';
import { MESSAGES } from '../ingest/rows.ts';
import type { StepLane } from '../run-store.ts';
import type { Database } from './database.ts';
import { Lists } from './lists.ts';

/** Blobs of one question. */
const BLOBS = 500;

interface Row {
  readonly lane: number;
  readonly step: number;
  readonly kind: StepKind;
  readonly boundary: Boundary;
  readonly name: string;
  readonly agent_id: string;
  readonly lamport: number;
  readonly causal_parent: number;
  readonly after: number | null;
  readonly key: string;
  readonly checksum: string;
  readonly started_at: string;
  readonly latency_ms: number | null;
  readonly ended: number | null;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly envelope: unknown;
  readonly moved: readonly string[];
}

/** @returns lane 0 first; none where nobody has read the run yet, or its readings have left the store @throws IntegrityError when a part is damaged or missing */
export async function readingsOf(database: Database, run: string): Promise<StepLane[]> {
  const rows = await database.query<Row>(
    `SELECT s.lane, s.step, s.kind, s.boundary, s.name, s.agent_id, s.lamport, s.causal_parent, s.after, encode(s.key, 'hex') AS key, encode(s.checksum, 'hex') AS checksum, s.started_at, s.latency_ms, s.ended,
       r.summary, r.input, r.output, r.error, r.envelope, r.moved
     FROM replay_harness.steps s CROSS JOIN LATERAL (
       SELECT * FROM replay_harness.step_readings d WHERE d.run_id = s.run_id AND d.lane = s.lane AND d.step = s.step ORDER BY d.interpreter DESC LIMIT 1) r
     WHERE s.run_id = $1 ORDER BY s.lane, s.step`, [run],
  );
  const lists = await Lists.of(database, run);
  const { hashes, packed } = lists.named;
  const named = rows.flatMap(({ input, output, error, envelope }) => [input, output, error, envelope].flatMap(namedIn));
  const blobs = await blobsOf(database, [...named, ...hashes, ...packed.flatMap(namedWithin)]);
  const source = (hash: string): Blob => {
    const blob = blobs.get(hash);
    if (!blob) throw new IntegrityError(`The blob ${hash} of run ${run} is missing.`);
    return blob;
  };
  const lanes = new Map<number, Step[]>();
  for (const row of rows) {
    const steps = lanes.get(row.lane) ?? [];
    steps.push(stepOf(row, lists, source));
    lanes.set(row.lane, steps);
  }
  return [...lanes].map(([lane, steps]) => ({ lane, steps }));
}

/** With those that they name themselves. */
async function blobsOf(database: Database, named: readonly string[]): Promise<ReadonlyMap<string, Blob>> {
  const known = new Map<string, Blob>();
  let wanted = [...new Set(named)];
  while (wanted.length > 0) {
    const next = new Set<string>();
    for (let at = 0; at < wanted.length; at += BLOBS) {
      const batch = wanted.slice(at, at + BLOBS);
      const found = await database.query<Blob>("SELECT encode(hash, 'hex') AS hash, codec, size, bytes FROM replay_harness.blobs WHERE hash = ANY ($1)", [batch.map((hash) => Buffer.from(hash, 'hex'))]);
      for (const blob of found) {
        known.set(blob.hash, blob);
        for (const hash of innerOf(blob)) if (!known.has(hash)) next.add(hash);
      }
    }
    wanted = [...next].filter((hash) => !known.has(hash));
  }
  return known;
}

function innerOf(blob: Blob): string[] {
  return namedWithin(decodeBlob(blob).toString());
}

/** Of a message, or of a value that was too large for its row. A program's own text that looks like one names what is not there. */
function namedWithin(json: string): string[] {
  return /"\$(?:text|bytes|json)"/.test(json) ? namedIn(parseJson(json)) : [];
}

function stepOf(row: Row, lists: Lists, blob: (hash: string) => Blob): Step {
  const moved = row.moved.map(movedIn).find(({ path }) => path === MESSAGES);
  const messages = moved ? { messages: lists.list(row.lane, moved, row.step).map(({ hash, json }) => restore(parseJson(json ?? decodeBlob(blob(hash)).toString()), blob)) } : {};
  const input = restore(row.input, blob);
  const { toolCalls, sentBy, ...envelope } = asObject(restore(row.envelope, blob));
  return {
    step: row.step, kind: row.kind, boundary: row.boundary, name: unescapeText(row.name), summary: unescapeText(row.summary), agentId: unescapeText(row.agent_id), lamport: row.lamport, causalParent: row.causal_parent, after: row.after,
    input: 'messages' in messages ? { ...asObject(input), ...messages } : input, output: restore(row.output, blob), error: restore(row.error, blob) as StepError | null, key: row.key, checksum: row.checksum,
    startedAt: row.started_at, latencyMs: row.latency_ms, ended: row.ended, envelope: Object.keys(envelope).length > 0 ? (envelope as unknown as Envelope) : null,
    ...(sentBy !== undefined && { sentBy: sentBy as NonNullable<Step['sentBy']> }), ...(toolCalls !== undefined && { toolCalls: toolCalls as readonly ModelToolCall[] }),
  };
}
