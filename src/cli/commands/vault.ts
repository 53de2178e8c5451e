/** `vault <run> [STAND-IN…]`: what stands behind the stand-ins of a run, for a purpose that is noted. */
import { userInfo } from 'node:os';
import { ConfigError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import { FileVault, vaultLog } from '../../store/masking/file-vault.ts';
import { openVault, sealVault } from '../../store/masking/vault.ts';
import { parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { interpretRun } from '../interpreted.ts';
import { maskerOf } from '../masked.ts';
import { visible } from '../render/text.ts';

export async function vault(args: readonly string[]): Promise<number> {
  const { store, positionals: [selector, ...standIns], values } = parse('vault', args, { purpose: { type: 'string' }, log: { type: 'boolean' }, json: { type: 'boolean' } });
  if (selector === undefined || selector === '') throw new ConfigError(`vault takes a run: a full id, a unique prefix, or latest.\n\n${helpFor('vault')}`);
  const run = store.find(selector);
  const folder = store.folderOf(run.manifest.id);
  const { purpose = '', log, json } = values as { purpose?: string; log?: boolean; json?: boolean };
  if (log) {
    print(vaultLog(folder), json, ({ at, reader, purpose: why, standIns: asked }) => `${at}  ${visible(reader)}: ${visible(why)}  ${asked.join(', ')}`);
    return 0;
  }
  if (purpose.trim() === '') throw new ConfigError('vault: say what for, with --purpose TEXT. It is noted beside the run, with your name, before anything is shown.');
  const interpreted = interpretRun(store, run, identities(process.env));
  const masker = maskerOf(interpreted);
  const unknown = standIns.find((standIn) => !masker.standIns().has(standIn));
  if (unknown !== undefined) throw new ConfigError(`vault: "${visible(unknown)}" stands in for nothing in run ${run.manifest.id}. Copy the whole stand-in from what show prints.`);
  const { runKey } = interpreted;
  if (!runKey) throw new ConfigError(`The run ${run.manifest.id} ended before its first event: there is nothing in its vault.`);
  const kept = new FileVault(folder);
  await kept.put(run.manifest.id, sealVault(masker, runKey));
  const question = { run: run.manifest.id, standIns: standIns.length > 0 ? standIns : undefined, reader: userInfo().username, purpose };
  print(await openVault(kept, question, runKey), json, ({ standIn, kind, value }) => `${visible(standIn)}  ${kind}  ${visible(value)}`);
  return 0;
}

function print<T>(entries: readonly T[], json: boolean | undefined, line: (entry: T) => string): void {
  process.stdout.write(json ? `${JSON.stringify(entries, null, 2)}\n` : entries.map((entry) => `${line(entry)}\n`).join(''));
}
