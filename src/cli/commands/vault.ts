/** `vault <run> [STAND-IN…]`: what stands behind the stand-ins of a run, for a purpose that is noted. */
import { userInfo } from 'node:os';
import { ConfigError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import { isServer } from '../../store/location.ts';
import { FileVault, type VaultAccess, vaultLog } from '../../store/masking/file-vault.ts';
import type { SqlVault } from '../../store/masking/sql-vault.ts';
import { type Opened, openVault, sealVault, type VaultQuestion } from '../../store/masking/vault.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { interpretRun } from '../interpreted.ts';
import { maskerOf } from '../masked.ts';
import { visible } from '../render/text.ts';
import { fetched } from '../stores.ts';

export async function vault(args: readonly string[]): Promise<number> {
  const parsed = parse('vault', args, { purpose: { type: 'string' }, log: { type: 'boolean' }, json: { type: 'boolean' } }, { server: true });
  const { positionals: [selector, ...standIns], values } = parsed;
  if (selector === undefined || selector === '') throw new ConfigError(`vault takes a run: a full id, a unique prefix, or latest.\n\n${helpFor('vault')}`);
  const { purpose = '', log, json } = values as { purpose?: string; log?: boolean; json?: boolean };
  if (!log && purpose.trim() === '') throw new ConfigError('vault: say what for, with --purpose TEXT. It is noted beside the run, with your name, before anything is shown.');
  const printLog = (entries: readonly VaultAccess[]): void => print(entries, json, ({ at, reader, purpose: why, standIns: asked }) => `${at}  ${visible(reader)}: ${visible(why)}  ${asked.join(', ')}`);
  const found = await parsed.runs.find(selector);
  if (isServer(parsed.location)) {
    await withServerVault(parsed.location, async (kept) => (log ? printLog(await kept.log(found.manifest.id)) : printEntries(await openVault(kept, question(found, standIns, purpose), keyOf(await fetched(parsed, found), parsed.store)), standIns, found, json)));
    return 0;
  }
  const folder = parsed.store.folderOf(found.manifest.id);
  if (log) {
    printLog(vaultLog(folder));
    return 0;
  }
  const interpreted = interpretRun(parsed.store, found, identities(process.env));
  const masker = maskerOf(interpreted);
  requireKnown(standIns, new Set(masker.standIns().keys()), found);
  const { runKey } = interpreted;
  if (!runKey) throw nothingIn(found);
  const kept = new FileVault(folder);
  await kept.put(found.manifest.id, sealVault(masker, runKey));
  printEntries(await openVault(kept, question(found, standIns, purpose), runKey), standIns, found, json);
  return 0;
}

function question({ manifest }: StoredRun, standIns: readonly string[], purpose: string): VaultQuestion {
  return { run: manifest.id, standIns: standIns.length > 0 ? standIns : undefined, reader: userInfo().username, purpose };
}

function keyOf(run: StoredRun, store: EmbeddedStore): Buffer {
  const { runKey } = store.tape(run, identities(process.env));
  if (!runKey) throw nothingIn(run);
  return runKey;
}

function nothingIn({ manifest }: StoredRun): ConfigError {
  return new ConfigError(`The run ${manifest.id} ended before its first event: there is nothing in its vault.`);
}

function requireKnown(asked: readonly string[], known: ReadonlySet<string>, { manifest }: StoredRun): void {
  const unknown = asked.find((standIn) => !known.has(standIn));
  if (unknown !== undefined) throw new ConfigError(`vault: "${visible(unknown)}" stands in for nothing in run ${manifest.id}. Copy the whole stand-in from what show prints.`);
}

function printEntries(opened: readonly Opened[], asked: readonly string[], run: StoredRun, json: boolean | undefined): void {
  requireKnown(asked, new Set(opened.map(({ standIn }) => standIn)), run);
  print(opened, json, ({ standIn, kind, value }) => `${visible(standIn)}  ${kind}  ${visible(value)}`);
}

/** The client of a server is loaded for a server only. */
async function withServerVault(location: string, work: (vault: SqlVault) => Promise<void>): Promise<void> {
  const [{ openDatabase }, { SqlVault: OnServer }] = await Promise.all([import('../../store/sql/stores.ts'), import('../../store/masking/sql-vault.ts')]);
  const database = await openDatabase(location);
  try {
    await work(new OnServer(database));
  } finally {
    await database.close();
  }
}

function print<T>(entries: readonly T[], json: boolean | undefined, line: (entry: T) => string): void {
  process.stdout.write(json ? `${JSON.stringify(entries, null, 2)}\n` : entries.map((entry) => `${line(entry)}\n`).join(''));
}
