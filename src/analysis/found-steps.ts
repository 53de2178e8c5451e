/** What people are shown of a step that was found. */
import type { Database } from '../store/sql/database.ts';
import type { Hit } from './search.ts';

export interface FoundStep {
  readonly run: string;
  readonly lane: number;
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly agent: string;
  readonly workflow: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly summary: string;
  readonly score: number;
  readonly wordRank: number | null;
  readonly vectorRank: number | null;
  readonly distance: number | null;
  /** Beginnings of what it asked and got, masked: where a snippet is taken from. */
  readonly texts: readonly string[];
}

/** Characters of each text. */
const MOST = 4000;

interface Row {
  readonly run_id: string;
  readonly lane: number;
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly agent_id: string;
  readonly workflow: string | null;
  readonly tags: Record<string, string>;
  readonly started_at: string;
  readonly summary: string | null;
  readonly output: string | null;
  readonly input: string | null;
  readonly added: string | null;
}

/** @param hits in order @returns them in the same order; one whose run went meanwhile is left out */
export async function foundSteps(database: Database, hits: readonly Hit[]): Promise<FoundStep[]> {
  if (hits.length === 0) return [];
  const rows = await database.query<Row>(
    `SELECT s.run_id, s.lane, s.step, s.kind, s.boundary, s.name, s.agent_id, r.name AS workflow, r.tags, s.started_at, reading.summary,
       left(reading.output::text, ${MOST}) AS output, left(reading.input::text, ${MOST}) AS input, news.added
     FROM unnest($1::uuid[], $2::int[], $3::bigint[]) AS hit (run_id, lane, step)
     JOIN replay_harness.steps s ON s.run_id = hit.run_id AND s.lane = hit.lane AND s.step = hit.step
     JOIN replay_harness.runs r ON r.id = s.run_id
     LEFT JOIN LATERAL (
       SELECT summary, input, output, moved FROM replay_harness.step_readings c WHERE c.run_id = s.run_id AND c.lane = s.lane AND c.step = s.step ORDER BY interpreter DESC LIMIT 1
     ) AS reading ON true
     LEFT JOIN LATERAL (
       SELECT string_agg(left(convert_from(b.bytes, 'UTF8'), ${MOST}), ' ' ORDER BY part.place DESC) AS added
       FROM unnest(reading.moved) AS moved CROSS JOIN LATERAL replay_harness.new_members(s.run_id, s.lane, s.step, moved) AS part JOIN replay_harness.blobs b ON b.hash = part.hash AND part.member IS NULL AND b.codec = 'json'
     ) AS news ON true`,
    [hits.map(({ run_id }) => run_id), hits.map(({ lane }) => lane), hits.map(({ step }) => step)],
  );
  const byKey = new Map(rows.map((row) => [`${row.run_id} ${row.lane} ${row.step}`, row]));
  return hits.flatMap((hit) => {
    const row = byKey.get(`${hit.run_id} ${hit.lane} ${hit.step}`);
    return row ? [foundStep(hit, row)] : [];
  });
}

function foundStep({ score, wordRank, vectorRank, distance }: Hit, row: Row): FoundStep {
  const { run_id: run, lane, step, kind, boundary, name, agent_id: agent, workflow, tags, started_at: startedAt, summary } = row;
  const texts = [summary, row.output, row.added, row.input].flatMap((text) => (text ? [text] : []));
  return { run, lane, step, kind, boundary, name, agent, workflow, tags, startedAt, summary: summary ?? '', score, wordRank, vectorRank, distance, texts };
}
