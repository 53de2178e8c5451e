/** `keys`: the key pair that this user's recordings are sealed to. */
import { recipientOf } from '../../journal/crypto.ts';
import { identities, keyFolder, ownIdentity, recipients } from '../../store/keyring.ts';
import { loadConfig } from '../../store/configuration.ts';
import { noRun, parse } from '../arguments.ts';

export function keys(args: readonly string[]): number {
  const parsed = parse('keys', args, { json: { type: 'boolean' } });
  noRun('keys', parsed);
  const folder = keyFolder(process.env);
  const own = recipientOf(ownIdentity(folder));
  const sealsTo = recipients(process.env, loadConfig(process.env, process.cwd()).recipient);
  const reads = identities(process.env).map(recipientOf);
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify({ recipient: own, identityFile: `${folder}/identity`, sealsTo, reads }, null, 2)}\n`);
  else {
    process.stdout.write(`public key (recordings are sealed to it):  ${own}\nprivate key (reads them; keep it secret):  ${folder}/identity\n`);
    if (sealsTo.join() !== own) process.stdout.write(`new recordings are sealed to:              ${sealsTo.join(', ')}\n`);
  }
  return 0;
}
