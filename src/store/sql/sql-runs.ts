/** Runs as a database has them, and how one becomes a folder again. */
import { type SealedKey, segmentFile } from '../../journal/format.ts';
import { openKey, readerOf } from '../../journal/crypto.ts';
import { formatKeys, KEYS_FILE } from '../../journal/keys-beside.ts';
import { readSegments } from '../../journal/reader.ts';
import { joinPieces, type Piece } from '../../journal/packed.ts';
import { ForbiddenError, IntegrityError, RunNotFoundError } from '../../model/error.ts';
import type { RunManifest, RunStatus } from '../../model/run.ts';
import { bufferAlloc, nativeFs } from '../../runtime/natives.ts';
import { payloadOf } from '../absent.ts';
import type { EmbeddedStore } from '../embedded.ts';
import { withoutPassword } from '../location.ts';
import { makeFolder } from '../make-folder.ts';
import { formatManifest } from '../manifest.ts';
import type { RunStore, StepLane, StoredRun, VerifiedRows } from '../run-store.ts';
import { select } from '../select.ts';
import { ARCHIVED, objectOf } from '../retention/archive-place.ts';
import { checkRows } from './check-rows.ts';
import type { Database } from './database.ts';
import { openToRead } from './postgres.ts';
import { readingsOf } from './readings.ts';

/** @param url of a server, which is asked when something is first needed of it. Each method throws StoreUnavailableError when it cannot be reached, or has another shape than this program knows */
export function openRuns(url: string): SqlRuns {
  return new SqlRuns(openToRead(url), withoutPassword(url));
}

/** @param database open, and migrated; closed by whoever opened it */
export function runsIn(database: Database, url: string): RunStore {
  return new SqlRuns(database, withoutPassword(url));
}

interface RunRow {
  readonly id: string;
  readonly manifest: RunManifest;
  readonly status: RunStatus;
  readonly command: readonly string[] | null;
  readonly cwd: string | null;
  readonly steps: number | null;
  readonly llm_calls: number | null;
  readonly tool_calls: number | null;
  readonly duration_ms: number | null;
  readonly uncaptured: readonly string[];
  readonly tape_head: string | null;
  readonly restored_at: string | null;
  /** Where a copy of the tape lies, if the run ever left the store. */
  readonly location: string | null;
  readonly object_hash: string | null;
  readonly size: number | null;
  readonly archived_at: string | null;
  /** Why the tape is not here. */
  readonly reason: string | null;
  readonly deleted_at: string | null;
}

const RUNS = `SELECT r.id, r.manifest, r.status, r.command, r.cwd, r.steps, r.llm_calls, r.tool_calls, r.duration_ms, r.uncaptured, r.tape_head, r.restored_at, a.location, encode(a.object_hash, 'hex') AS object_hash, a.size, a.archived_at, t.reason, t.deleted_at
  FROM replay_harness.runs r
  LEFT JOIN LATERAL (SELECT * FROM replay_harness.archives WHERE run_id = r.id ORDER BY archived_at DESC LIMIT 1) a ON r.payload_gone_at IS NOT NULL OR r.restored_at IS NOT NULL
  LEFT JOIN LATERAL (SELECT * FROM replay_harness.tombstones WHERE run_id = r.id AND 'tape' = ANY (parts) ORDER BY id DESC LIMIT 1) t ON r.payload_gone_at IS NOT NULL`;
const NEWEST_FIRST = 'ORDER BY r.started_at DESC, r.id DESC';
/** More would not be named: enough to tell that a prefix is ambiguous. */
const CANDIDATES = 6;

export class SqlRuns implements RunStore {
  readonly location: string;
  readonly #database: Database;

  constructor(database: Database, location: string) {
    this.#database = database;
    this.location = location;
  }

  async list(): Promise<StoredRun[]> {
    return (await this.#database.query<RunRow>(`${RUNS} ${NEWEST_FIRST}`, [])).map(storedRun);
  }

  async find(selector: string): Promise<StoredRun> {
    return select(await this.#candidates(selector), selector, this.location);
  }

  async fetch({ manifest, status }: StoredRun, into: EmbeddedStore, identities: readonly string[]): Promise<void> {
    const folder = into.folderOf(manifest.id);
    if (into.has(manifest.id)) return;
    const [segments, keys] = await Promise.all([this.#segmentsOf(manifest.id), this.#keysOf(manifest.id)]);
    const isHere = payloadOf(manifest) === 'here';
    if (segments.length === 0 && isHere && status === 'recording') return this.#fetchLive(manifest, into, identities);
    if (segments.length === 0 && isHere) await this.#requirePayload(manifest.id);
    if (segments.length === 0 && isHere && status === 'complete') throw new IntegrityError(`The store ${this.location} holds no tape of run ${manifest.id}, though the run is complete and nothing says that it was taken away.`);
    makeFolder(folder);
    for (const { lane, segment, sealed } of segments) {
      const pieces = await this.#database.query<{ from_byte: number; bytes: Buffer }>('SELECT from_byte, bytes FROM replay_harness.tapes WHERE run_id = $1 AND lane = $2 AND segment = $3 ORDER BY from_byte', [manifest.id, lane, segment]);
      const bytes = this.#joined(manifest.id, lane, segment, pieces.map(({ from_byte: fromByte, bytes }) => ({ fromByte, bytes })), identities, keys.beside);
      nativeFs.writeFileSync(`${folder}/${segmentFile(lane, segment, sealed)}`, bytes, { mode: 0o600 });
    }
    const header = readSegments(folder)[0]?.header.keys ?? keys.header;
    // What is to come from an archive is rebuilt with the keys, which did not go there.
    if (keys.beside.length > 0 || !isHere) nativeFs.writeFileSync(`${folder}/${KEYS_FILE}`, formatKeys({ keys: isHere ? keys.beside : [...keys.header, ...keys.beside], header }), { mode: 0o600 });
    // Last, and whole: a run whose manifest is there is there.
    nativeFs.writeFileSync(`${folder}/manifest.json`, formatManifest(manifest), { mode: 0o600 });
  }

  /** What there is of a run that goes on: it ends anywhere, as that of a program that was killed. */
  async #fetchLive(manifest: RunManifest, into: EmbeddedStore, identities: readonly string[]): Promise<void> {
    const pieces = await this.#database.query<{ lane: number; segment: number; from_byte: number; bytes: Buffer }>('SELECT lane, segment, from_byte, bytes FROM replay_harness.live_tapes WHERE run_id = $1 ORDER BY lane, segment, from_byte', [manifest.id]);
    const now = pieces.length === 0 ? await this.find(manifest.id) : undefined;
    // It has ended since it was listed.
    if (now && now.status !== 'recording') return this.fetch(now, into, identities);
    const folder = into.folderOf(manifest.id);
    makeFolder(folder);
    for (const [index, { lane, segment, from_byte: from, bytes }] of pieces.entries()) {
      const isOver = pieces.slice(index).some((later) => later.lane === lane && later.segment > segment);
      const file = `${folder}/${segmentFile(lane, segment, isOver)}`;
      const length = nativeFs.existsSync(file) ? nativeFs.statSync(file).size : 0;
      if (from !== length) throw new IntegrityError(`Run ${manifest.id} in ${this.location}, lane ${lane}, segment ${segment}: its bytes ${length} to ${from} are missing.`);
      nativeFs.appendFileSync(file, bytes, { mode: 0o600 });
    }
    nativeFs.writeFileSync(`${folder}/manifest.json`, formatManifest(manifest), { mode: 0o600 });
  }

  async requireWritable(): Promise<void> {
    const [login] = await this.#database.query<{ name: string; may: boolean }>(
      "SELECT current_user::text AS name, has_table_privilege('replay_harness.runs', 'INSERT') AND has_function_privilege('replay_harness.advance_run(uuid, jsonb)', 'EXECUTE') AS may", [],
    );
    if (!login?.may) throw new ForbiddenError(`The login ${login?.name ?? ''} of the store ${this.location} may read runs and not write any: it is not in the role replay_writer. Roles and what each may do: docs/store.md.`);
  }

  verify({ manifest }: StoredRun): Promise<VerifiedRows> {
    return checkRows(this.#database, manifest.id);
  }

  readings({ manifest }: StoredRun): Promise<readonly StepLane[]> {
    return readingsOf(this.#database, manifest.id);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #joined(run: string, lane: number, segment: number, pieces: readonly Piece[], identities: readonly string[], beside: readonly SealedKey[]): Uint8Array {
    if (pieces.length === 0) return bufferAlloc(0);
    try {
      return joinPieces(pieces, (keys) => {
        for (const identity of identities) {
          const key = openKey([...keys, ...beside], readerOf(identity));
          if (key) return key;
        }
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw new IntegrityError(`Run ${run} in ${this.location}, lane ${lane}, segment ${segment}: ${error.message}`);
    }
  }

  #segmentsOf(run: string): Promise<{ readonly lane: number; readonly segment: number; readonly sealed: boolean }[]> {
    return this.#database.query('SELECT lane, segment, bool_or(sealed) AS sealed FROM replay_harness.tapes WHERE run_id = $1 GROUP BY lane, segment ORDER BY lane, segment', [run]);
  }

  async #keysOf(run: string): Promise<{ readonly header: readonly SealedKey[]; readonly beside: readonly SealedKey[] }> {
    const rows = await this.#database.query<SealedKey & { readonly beside: boolean }>('SELECT recipient, ephemeral, box, beside FROM replay_harness.run_keys WHERE run_id = $1 ORDER BY beside, position', [run]);
    const keys = (wanted: boolean): SealedKey[] => rows.filter(({ beside }) => beside === wanted).map(({ recipient, ephemeral, box }) => ({ recipient, ephemeral, box }));
    return { header: keys(false), beside: keys(true) };
  }

  /** @throws RunNotFoundError when the recording was taken away on purpose */
  async #requirePayload(run: string): Promise<void> {
    const [gone] = await this.#database.query<{ reason: string; deleted_at: string }>("SELECT reason, deleted_at FROM replay_harness.tombstones WHERE run_id = $1 AND 'tape' = ANY (parts) ORDER BY id DESC LIMIT 1", [run]);
    if (gone) throw new RunNotFoundError(`The recording of run ${run} was taken away on ${gone.deleted_at.slice(0, 10)}: ${gone.reason}. Its steps are still listed by SQL (docs/store.md).`);
  }

  async #candidates(selector: string): Promise<StoredRun[]> {
    const all = RUNS;
    if (selector === 'latest') {
      const [latest] = await this.#database.query<RunRow>(`${all} WHERE r.parent_run_id IS NULL AND r.forked_from IS NULL AND r.replay_of IS NULL AND (t.reason IS NULL OR t.reason LIKE '${ARCHIVED}%') ${NEWEST_FIRST} LIMIT 1`, []);
      if (latest) return [storedRun(latest)];
    }
    const range = rangeOf(selector);
    const found = range ? await this.#database.query<RunRow>(`${all} WHERE r.id BETWEEN $1 AND $2 ${NEWEST_FIRST} LIMIT ${CANDIDATES}`, range) : [];
    // Any other run tells an unknown id from an empty store.
    return (found.length > 0 ? found : await this.#database.query<RunRow>(`${all} LIMIT 1`, [])).map(storedRun);
  }
}

/** @returns the first and the last id that begin so; undefined: none does */
function rangeOf(prefix: string): [string, string] | undefined {
  const from = prefix + '00000000-0000-0000-0000-000000000000'.slice(prefix.length);
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(from) ? [from, prefix + 'ffffffff-ffff-ffff-ffff-ffffffffffff'.slice(prefix.length)] : undefined;
}

function storedRun(row: RunRow): StoredRun {
  const { status, command, cwd, steps, llm_calls: llmCalls, tool_calls: toolCalls, duration_ms: durationMs, uncaptured } = row;
  const summary = steps === null ? {} : { summary: { command, cwd, steps, llmCalls: llmCalls ?? 0, toolCalls: toolCalls ?? 0, durationMs: durationMs ?? 0, uncaptured } };
  return { manifest: { ...row.manifest, ...whereItWent(row) }, status, ...summary };
}

/** A sealed run's manifest stays as it was recorded; where its tape went since is told by rows of their own. */
function whereItWent({ id, tape_head: head, restored_at: restoredAt, location, object_hash: sha256, size, archived_at: at, reason, deleted_at: deletedAt }: RunRow): Pick<RunManifest, 'archived' | 'gone'> {
  const archived = location === null || sha256 === null || at === null ? {} : { archived: { to: location, object: objectOf(id), at, bytes: size ?? 0, sha256, restoredAt: reason === null ? restoredAt : null } };
  if (deletedAt === null || (reason !== 'expired' && reason !== 'erased')) return archived;
  return { ...archived, gone: { at: deletedAt, why: reason, bytes: size ?? 0, head } };
}
