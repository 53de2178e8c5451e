/** A vault in a database. Its functions note a question and commit before they answer it: see `vault_ask` and `vault_open`. */
import type { VaultAccess } from './file-vault.ts';
import { isSecretKind, type Vault, type VaultEntry, type VaultQuestion } from './vault.ts';

/** What it needs of a database. */
interface Queries {
  query<T>(sql: string, params?: readonly unknown[]): Promise<T[]>;
}

export class SqlVault implements Vault {
  readonly #database: Queries;

  constructor(database: Queries) {
    this.#database = database;
  }

  async put(run: string, entries: readonly VaultEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#database.query(
      'INSERT INTO replay_harness.vault (run_id, stand_in, kind, sealed) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[]) ON CONFLICT DO NOTHING',
      [run, entries.map(({ standIn }) => standIn), entries.map(({ kind }) => kind), entries.map(({ sealed }) => sealed)],
    );
  }

  /** The database notes its own login; `reader` is the person, and goes with the purpose. */
  async take({ run, standIns, reader, purpose }: VaultQuestion): Promise<VaultEntry[]> {
    const [asked] = await this.#database.query<{ ticket: string }>('SELECT replay_harness.vault_ask($1, $2::text[], $3) AS ticket', [run, standIns ?? null, `${reader}: ${purpose}`]);
    const rows = await this.#database.query<{ stand_in: string; kind: string; sealed: Buffer }>('SELECT stand_in, kind, sealed FROM replay_harness.vault_open($1)', [asked?.ticket]);
    return rows.map(({ stand_in: standIn, kind, sealed }) => ({ standIn, kind: isSecretKind(kind) ? kind : 'secret', sealed: Buffer.from(sealed) }));
  }
  /** Of the readers that the login may see. @returns who asked a run's vault, oldest first */
  log(run: string): Promise<VaultAccess[]> {
    return this.#database.query<VaultAccess>(
      `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, reader, purpose, array_agg(stand_in ORDER BY stand_in) AS "standIns"
       FROM replay_harness.vault_log WHERE run_id = $1 GROUP BY ticket, vault_log.at, reader, purpose ORDER BY vault_log.at, ticket`, [run],
    );
  }
}
