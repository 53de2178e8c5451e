/** `keys`: the key pair that this user's recordings are sealed to. */
import { recipientOf } from '../../journal/crypto.ts';
import { identities, ownRecipient, recipients } from '../../store/keyring.ts';
import { loadConfig } from '../../store/configuration.ts';
import { noRun, parse } from '../arguments.ts';

export function keys(args: readonly string[]): number {
  const parsed = parse('keys', args, { json: { type: 'boolean' } }, { server: true });
  noRun('keys', parsed);
  // First, since it makes the pair where one is needed.
  const sealsTo = recipients(process.env, loadConfig(process.env, process.cwd()).recipient);
  const own = ownRecipient(process.env);
  const reads = identities(process.env).map(recipientOf);
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify({ recipient: own?.recipient ?? null, identityFile: own?.file ?? null, sealsTo, reads }, null, 2)}\n`);
  else process.stdout.write([...(own ? ownLines(own) : []), ...(sealsTo.join() === own?.recipient ? [] : [`new recordings are sealed to:              ${sealsTo.join(', ')}`]), ...readingLines(reads, own?.recipient), ''].join('\n'));
  return 0;
}

function ownLines({ recipient, file }: { readonly recipient: string; readonly file: string }): string[] {
  return [`public key (recordings are sealed to it):  ${recipient}`, `private key (reads them; keep it secret):  ${file}`];
}

function readingLines(reads: readonly string[], own: string | undefined): string[] {
  if (reads.length === 0) return ['no private key is here:                    this host records and cannot read what it recorded'];
  return reads.join() === own ? [] : [`recordings sealed to these can be read:    ${reads.join(', ')}`];
}
