/** Key pairs of this user: made on first use, kept in the user's configuration folder, readable by nobody else. */
import { execSync } from 'node:child_process';
import { createKeyPair, isIdentity, isRecipient, recipientOf } from '../journal/crypto.ts';
import { ConfigError } from '../model/error.ts';
import { nativeFs, nativeOs } from '../runtime/natives.ts';

export interface Environment {
  readonly [name: string]: string | undefined;
}

export function keyFolder(env: Environment): string {
  return `${env['XDG_CONFIG_HOME'] || `${env['HOME'] || nativeOs.homedir()}/.config`}/replay-harness`;
}

/**
 * Public keys that a new recording is sealed to: the configured ones, else the user's own.
 * @throws ConfigError for a malformed key
 */
export function recipients(env: Environment, configured: string | readonly string[] | undefined): string[] {
  const given = env['REPLAY_HARNESS_RECIPIENT']?.split(/[\s,]+/) ?? (typeof configured === 'string' ? [configured] : configured);
  const chosen = given?.filter((key) => key !== '') ?? [];
  for (const key of chosen) {
    if (!isRecipient(key)) throw new ConfigError(`"${key.slice(0, 40)}" is no public key of replay-harness; it should begin with rh-recipient- (see replay-harness keys).`);
  }
  return chosen.length > 0 ? chosen : [recipientOf(ownIdentity(keyFolder(env)))];
}

/** Private keys to read with; empty on a host that only records. */
export function identities(env: Environment): string[] {
  const given = env['REPLAY_HARNESS_IDENTITY'];
  if (given?.startsWith('cmd:')) return parseIdentities(runCommand(given.slice(4)), 'the output of REPLAY_HARNESS_IDENTITY');
  if (given) {
    if (!nativeFs.existsSync(given)) throw new ConfigError(`REPLAY_HARNESS_IDENTITY names ${given}, which does not exist. It takes the file of a private key, or cmd:COMMAND.`);
    return parseIdentities(readText(given), given);
  }
  const own = `${keyFolder(env)}/identity`;
  return nativeFs.existsSync(own) ? parseIdentities(readText(own), own) : [];
}

/** The user's own private key, made if there is none yet. Two first uses at once agree on one. */
export function ownIdentity(folder: string): string {
  const file = `${folder}/identity`;
  if (!nativeFs.existsSync(file)) {
    nativeFs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pair = createKeyPair();
    const draft = `${file}.${process.pid}`;
    nativeFs.writeFileSync(draft, `# private key of replay-harness; public key: ${pair.recipient}\n${pair.identity}\n`, { mode: 0o600 });
    try {
      nativeFs.linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      nativeFs.unlinkSync(draft);
    }
  }
  return parseIdentities(nativeFs.readFileSync(file, 'utf8'), file)[0] as string;
}

function parseIdentities(text: string, from: string): string[] {
  const keys = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || !keys.every(isIdentity)) throw new ConfigError(`${from} holds no private key of replay-harness; it should begin with RH-IDENTITY-.`);
  return keys;
}

function readText(file: string): string {
  try {
    return nativeFs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The private key in ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function runCommand(command: string): string {
  try {
    return execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch {
    throw new ConfigError(`REPLAY_HARNESS_IDENTITY: the command "${command}" failed.`);
  }
}
