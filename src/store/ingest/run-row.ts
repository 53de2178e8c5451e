/** The row of a run, its sealed keys, and what the vault keeps for it. */
import type { Database } from '../sql/database.ts';
import { escapeText } from './jsonb-text.ts';
import type { ReadRun } from './read-run.ts';

/** What is known when all steps were gone through. */
export interface Totals {
  readonly steps: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
  /** SHA-256 over the chains of all lanes, hex. */
  readonly chainHead: string;
}

/** A secret that a stand-in stands for, sealed. */
export interface VaultEntry {
  readonly standIn: string;
  readonly kind: string;
  readonly sealed: Buffer;
}

/** The row of a run that is being written: sealed when all of it is there. */
export async function openRun(database: Database, { manifest, keys, beside = [] }: ReadRun, vault: readonly VaultEntry[]): Promise<void> {
  await database.query(
    `INSERT INTO replay_harness.runs (id, parent_run_id, forked_from, replay_of, name, agent, status, started_at, node, platform, tags, manifest)
     VALUES ($1, $2, $3, $4, $5, $6, 'recording', $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
    [
      manifest.id, manifest.parentRunId, manifest.forkedFrom, manifest.replayOf, manifest.name === null ? null : escapeText(manifest.name), escapeText(manifest.agent), manifest.startedAt, manifest.node, manifest.platform,
      jsonb(manifest.tags), jsonb(manifest),
    ],
  );
  const sealed = [...keys.map((key, position) => ({ ...key, beside: false, position })), ...beside.map((key, position) => ({ ...key, beside: true, position }))];
  if (sealed.length > 0) {
    await database.query(
      'INSERT INTO replay_harness.run_keys (run_id, recipient, ephemeral, box, beside, position) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::int[]) ON CONFLICT DO NOTHING',
      [manifest.id, sealed.map(({ recipient }) => recipient), sealed.map(({ ephemeral }) => ephemeral), sealed.map(({ box }) => box), sealed.map((key) => key.beside), sealed.map(({ position }) => position)],
    );
  }
  if (vault.length > 0) {
    await database.query(
      'INSERT INTO replay_harness.vault (run_id, stand_in, kind, sealed) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[]) ON CONFLICT DO NOTHING',
      [manifest.id, vault.map(({ standIn }) => standIn), vault.map(({ kind }) => kind), vault.map(({ sealed }) => sealed)],
    );
  }
}

/** The last of all: who finds the run sealed finds it whole. @param totals undefined where nobody could read the tape */
export async function sealRun(database: Database, { manifest, status, lanes, facts }: ReadRun, mask: (text: string) => string, totals: Totals | undefined): Promise<void> {
  const events = lanes[0]?.events ?? [];
  const notes = lanes.flatMap((lane) => lane.events.flatMap((event) => (event.type === 'note' ? [event.name] : [])));
  const uncaptured = [...new Set([...manifest.uncaptured, ...notes])];
  const shown = (text: string): string => escapeText(mask(text));
  const patch = {
    status, exit_code: manifest.exitCode, signal: manifest.signal, duration_ms: manifest.durationMs ?? (events.at(-1)?.at ?? 0) / 1000, uncaptured: uncaptured.map(escapeText), lost: manifest.lost, manifest: JSON.parse(jsonb(manifest)) as unknown,
    ...(facts && { command: [facts.argv0, ...facts.execArgv, ...facts.argv.slice(1)].map(shown), cwd: shown(facts.cwd) }),
    ...(totals && { steps: totals.steps, llm_calls: totals.llmCalls, tool_calls: totals.toolCalls, chain_head: totals.chainHead, tape_head: lanes[0]?.head ?? '', replayable: totals.steps > 0 && uncaptured.length === 0 }),
  };
  await database.query('SELECT replay_harness.advance_run($1, $2)', [manifest.id, JSON.stringify(patch)]);
}

/** Names and tags are the user's words. */
function jsonb(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'string' ? escapeText(member) : member));
}
