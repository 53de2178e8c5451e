/** A vault in a run's folder: what is in it is worked out of the journal beside it, so the log is all that is written. */
import { NativeDate, nativeFs } from '../../runtime/natives.ts';
import { StoreUnavailableError } from '../../model/error.ts';
import type { Vault, VaultEntry, VaultQuestion } from './vault.ts';

export const VAULT_LOG = 'vault.log';

/** One line of the log. */
export interface VaultAccess {
  /** ISO 8601. */
  readonly at: string;
  readonly reader: string;
  readonly purpose: string;
  readonly standIns: readonly string[];
}

export class FileVault implements Vault {
  readonly #folder: string;
  #entries: readonly VaultEntry[] = [];

  /** @param folder of the run */
  constructor(folder: string) {
    this.#folder = folder;
  }

  put(_run: string, entries: readonly VaultEntry[]): Promise<void> {
    this.#entries = [...this.#entries, ...entries.filter(({ standIn }) => !this.#entries.some((known) => known.standIn === standIn))];
    return Promise.resolve();
  }

  take({ standIns, reader, purpose }: VaultQuestion): Promise<VaultEntry[]> {
    const taken = this.#entries.filter(({ standIn }) => standIns?.includes(standIn) ?? true);
    const access: VaultAccess = { at: new NativeDate().toISOString(), reader, purpose, standIns: taken.map(({ standIn }) => standIn) };
    const file = `${this.#folder}/${VAULT_LOG}`;
    try {
      const fd = nativeFs.openSync(file, 'a', 0o600);
      try {
        nativeFs.writeSync(fd, `${JSON.stringify(access)}\n`);
        nativeFs.fsyncSync(fd);
      } finally {
        nativeFs.closeSync(fd);
      }
    } catch (error) {
      return Promise.reject(new StoreUnavailableError(`${file} cannot be written: ${(error as Error).message}. A secret is given out only when it is noted who asked for it.`));
    }
    return Promise.resolve(taken);
  }
}

/** @returns who asked a run's vault, oldest first @throws StoreUnavailableError */
export function vaultLog(folder: string): VaultAccess[] {
  const file = `${folder}/${VAULT_LOG}`;
  if (!nativeFs.existsSync(file)) return [];
  try {
    return nativeFs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as VaultAccess);
  } catch (error) {
    throw new StoreUnavailableError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
