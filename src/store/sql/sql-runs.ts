/** Runs as a database has them, and how one becomes a folder again. */
import { segmentFile } from '../../journal/format.ts';
import { openKey, readerOf } from '../../journal/crypto.ts';
import { joinPieces, type Piece } from '../../journal/packed.ts';
import { IntegrityError, RunNotFoundError } from '../../model/error.ts';
import type { RunManifest, RunStatus } from '../../model/run.ts';
import { bufferAlloc, nativeFs } from '../../runtime/natives.ts';
import type { EmbeddedStore } from '../embedded.ts';
import { withoutPassword } from '../location.ts';
import { makeFolder } from '../make-folder.ts';
import { formatManifest } from '../manifest.ts';
import type { RunStore, StoredRun } from '../run-store.ts';
import { select } from '../select.ts';
import { checkRows } from './check-rows.ts';
import type { Database } from './database.ts';
import { requireMigrated } from './migrate.ts';
import { openPostgres } from './postgres.ts';

/** @param url of a server @throws StoreUnavailableError when it cannot be reached, or has another shape than this program knows */
export async function openRuns(url: string): Promise<SqlRuns> {
  const database = openPostgres(url);
  try {
    await requireMigrated(database, url);
  } catch (error) {
    await database.close();
    throw error;
  }
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
}

const COLUMNS = 'id, manifest, status, command, cwd, steps, llm_calls, tool_calls, duration_ms, uncaptured';
const NEWEST_FIRST = 'ORDER BY started_at DESC, id DESC';
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
    return (await this.#database.query<RunRow>(`SELECT ${COLUMNS} FROM replay_harness.runs ${NEWEST_FIRST}`, [])).map(storedRun);
  }

  async find(selector: string): Promise<StoredRun> {
    return select(await this.#candidates(selector), selector, this.location);
  }

  async fetch({ manifest, status }: StoredRun, into: EmbeddedStore, identities: readonly string[]): Promise<void> {
    const folder = into.folderOf(manifest.id);
    if (into.has(manifest.id)) return;
    const segments = await this.#database.query<{ lane: number; segment: number; sealed: boolean }>('SELECT lane, segment, bool_or(sealed) AS sealed FROM replay_harness.tapes WHERE run_id = $1 GROUP BY lane, segment ORDER BY lane, segment', [manifest.id]);
    if (segments.length === 0) await this.#requirePayload(manifest.id);
    if (segments.length === 0 && status === 'complete') throw new IntegrityError(`The store ${this.location} holds no tape of run ${manifest.id}, though the run is complete and nothing says that it was taken away.`);
    makeFolder(folder);
    for (const { lane, segment, sealed } of segments) {
      const pieces = await this.#database.query<{ from_byte: number; bytes: Buffer }>('SELECT from_byte, bytes FROM replay_harness.tapes WHERE run_id = $1 AND lane = $2 AND segment = $3 ORDER BY from_byte', [manifest.id, lane, segment]);
      const bytes = this.#joined(manifest.id, lane, segment, pieces.map(({ from_byte: fromByte, bytes }) => ({ fromByte, bytes })), identities);
      nativeFs.writeFileSync(`${folder}/${segmentFile(lane, segment, sealed)}`, bytes, { mode: 0o600 });
    }
    // Last, and whole: a run whose manifest is there is there.
    nativeFs.writeFileSync(`${folder}/manifest.json`, formatManifest(manifest), { mode: 0o600 });
  }

  verify({ manifest }: StoredRun): Promise<void> {
    return checkRows(this.#database, manifest.id);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #joined(run: string, lane: number, segment: number, pieces: readonly Piece[], identities: readonly string[]): Uint8Array {
    if (pieces.length === 0) return bufferAlloc(0);
    try {
      return joinPieces(pieces, (keys) => {
        for (const identity of identities) {
          const key = openKey(keys, readerOf(identity));
          if (key) return key;
        }
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw new IntegrityError(`Run ${run} in ${this.location}, lane ${lane}, segment ${segment}: ${error.message}`);
    }
  }

  /** @throws RunNotFoundError when the recording was taken away on purpose */
  async #requirePayload(run: string): Promise<void> {
    const [archived] = await this.#database.query<{ location: string }>('SELECT location FROM replay_harness.archives WHERE run_id = $1 ORDER BY archived_at DESC LIMIT 1', [run]);
    if (archived) throw new RunNotFoundError(`The recording of run ${run} lies in the archive ${archived.location}. Bring it back: replay-harness restore ${run}`);
    const [gone] = await this.#database.query<{ reason: string; deleted_at: string }>("SELECT reason, deleted_at FROM replay_harness.tombstones WHERE run_id = $1 AND 'tape' = ANY (parts) ORDER BY id DESC LIMIT 1", [run]);
    if (gone) throw new RunNotFoundError(`The recording of run ${run} was taken away on ${gone.deleted_at.slice(0, 10)}: ${gone.reason}. Its steps are still listed by SQL (docs/store.md).`);
  }

  async #candidates(selector: string): Promise<StoredRun[]> {
    const all = `SELECT ${COLUMNS} FROM replay_harness.runs`;
    if (selector === 'latest') {
      const [latest] = await this.#database.query<RunRow>(`${all} WHERE parent_run_id IS NULL AND forked_from IS NULL AND replay_of IS NULL ${NEWEST_FIRST} LIMIT 1`, []);
      if (latest) return [storedRun(latest)];
    }
    const range = rangeOf(selector);
    const found = range ? await this.#database.query<RunRow>(`${all} WHERE id BETWEEN $1 AND $2 ${NEWEST_FIRST} LIMIT ${CANDIDATES}`, range) : [];
    // Any other run tells an unknown id from an empty store.
    return (found.length > 0 ? found : await this.#database.query<RunRow>(`${all} LIMIT 1`, [])).map(storedRun);
  }
}

/** @returns the first and the last id that begin so; undefined: none does */
function rangeOf(prefix: string): [string, string] | undefined {
  const from = prefix + '00000000-0000-0000-0000-000000000000'.slice(prefix.length);
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(from) ? [from, prefix + 'ffffffff-ffff-ffff-ffff-ffffffffffff'.slice(prefix.length)] : undefined;
}

function storedRun({ manifest, status, command, cwd, steps, llm_calls: llmCalls, tool_calls: toolCalls, duration_ms: durationMs, uncaptured }: RunRow): StoredRun {
  const summary = steps === null ? {} : { summary: { command, cwd, steps, llmCalls: llmCalls ?? 0, toolCalls: toolCalls ?? 0, durationMs: durationMs ?? 0, uncaptured } };
  return { manifest, status, ...summary };
}
