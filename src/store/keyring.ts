/** Key pairs of this user: made on first use, kept in the user's configuration folder, readable by nobody else. */
import { createKeyPair, isIdentity, isRecipient, type KeyPair, recipientOf } from '../journal/crypto.ts';
import { ConfigError, IntegrityError, StoreUnavailableError } from '../model/error.ts';
import { uuidv7 } from '../model/uuid.ts';
import { nativeCrypto, nativeFs, nativeOs } from '../runtime/natives.ts';
import { makeFolder } from './make-folder.ts';

const PUBLIC_NOTE = '# private key of replay-harness; public key: ';
/** Of a file that is as it was written: its one pair belongs together. */
const CHECK_NOTE = '# check: ';

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** @throws StoreUnavailableError for a user without a home */
export function keyFolder(env: Environment): string {
  return `${env['XDG_CONFIG_HOME'] || `${env['HOME'] || homeFolder()}/.config`}/replay-harness`;
}

function homeFolder(): string {
  let home = '';
  try {
    home = nativeOs.homedir();
  } catch {
    // Neither HOME nor an entry in the list of users.
  }
  if (home === '') throw new StoreUnavailableError('This user has no home folder, so there is no place for keys. Set HOME or XDG_CONFIG_HOME.');
  return home;
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
  return chosen.length > 0 ? chosen : [ownPair(keyFolder(env)).recipient];
}

/** The user's own public key and where the private one lies; undefined on a host that has none and needs none. */
export function ownRecipient(env: Environment): { readonly recipient: string; readonly file: string } | undefined {
  const folder = keyFolderIfAny(env);
  const file = `${folder}/identity`;
  return folder !== '' && mayExist(file) ? { recipient: ownPair(folder).recipient, file } : undefined;
}

/** Private keys to read with; empty on a host that only records. */
export function identities(env: Environment): string[] {
  const given = env['REPLAY_HARNESS_IDENTITY'];
  if (given?.startsWith('cmd:')) return parseIdentities(runCommand(given.slice(4)), 'the output of REPLAY_HARNESS_IDENTITY');
  if (given) {
    if (!nativeFs.existsSync(given)) throw new ConfigError(`REPLAY_HARNESS_IDENTITY names ${given}, which does not exist. It takes the file of a private key, or cmd:COMMAND.`);
    return parseIdentities(readText(given), given);
  }
  const folder = keyFolderIfAny(env);
  return folder !== '' && mayExist(`${folder}/identity`) ? ownKeys(`${folder}/identity`).keys : [];
}

function keyFolderIfAny(env: Environment): string {
  try {
    return keyFolder(env);
  } catch {
    return '';
  }
}

/** The user's own keys, made if there are none yet. Two first uses at once agree on one pair. @throws StoreUnavailableError @throws IntegrityError when it is damaged */
export function ownPair(folder: string): KeyPair {
  const file = `${folder}/identity`;
  if (!mayExist(file)) {
    try {
      makeIdentity(folder, file);
    } catch (error) {
      throw new StoreUnavailableError(`No key pair could be made in ${folder}: ${(error as Error).message}. Set REPLAY_HARNESS_RECIPIENT, or give a writable XDG_CONFIG_HOME.`);
    }
  }
  const { keys: [identity], recipients: [recipient] } = ownKeys(file);
  return { identity: identity as string, recipient: recipient ?? recipientOf(identity as string) };
}

/** What the user has written is theirs to mend; this file is ours, and what is wrong with it is no mistake of theirs. */
function ownKeys(file: string): Keys {
  let text: string;
  try {
    text = nativeFs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new StoreUnavailableError(`The private key in ${file} cannot be read: ${(error as Error).message}.`);
  }
  if (keysIn(text).length === 0 || !keysIn(text).every(isIdentity)) throw new IntegrityError(`${file} is damaged: it holds no private key of replay-harness. Put back a copy of the file; without it nothing sealed to that key can be read.`);
  return parseKeys(text, file);
}

/** @returns false where it is known that there is none */
function mayExist(file: string): boolean {
  try {
    nativeFs.statSync(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

function keysIn(text: string): string[] {
  return linesOf(text).filter((line) => line !== '' && !line.startsWith('#'));
}

function makeIdentity(folder: string, file: string): void {
  makeFolder(folder);
  const pair = createKeyPair();
  const draft = `${file}.${uuidv7()}`;
  try {
    nativeFs.writeFileSync(draft, `${PUBLIC_NOTE}${pair.recipient}\n${CHECK_NOTE}${checkOf(pair)}\n${pair.identity}\n`, { mode: 0o600 });
    nativeFs.linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    nativeFs.rmSync(draft, { force: true });
  }
}

function parseIdentities(text: string, from: string): string[] {
  return parseKeys(text, from).keys;
}

interface Keys {
  readonly keys: string[];
  /** In the same order; none where the file notes none, since to work one out takes milliseconds. */
  readonly recipients: readonly string[];
}

function checkOf({ recipient, identity }: KeyPair): string {
  return nativeCrypto.createHash('sha256').update(`${recipient} ${identity}`).digest('base64url');
}

/** The public key of a file that is as it was written. To work it out from the private key takes a millisecond or two of every recorded program's start. */
function checkedRecipient(lines: readonly string[], keys: readonly string[], noted: readonly string[]): string | undefined {
  const [identity, recipient] = [keys[0], noted[0]];
  if (keys.length !== 1 || noted.length !== 1 || identity === undefined || recipient === undefined) return undefined;
  return lines.includes(`${CHECK_NOTE}${checkOf({ recipient, identity })}`) ? recipient : undefined;
}

/** @throws IntegrityError when a key is not the one that the note beside it names @throws ConfigError when there is none */
function parseKeys(text: string, from: string): Keys {
  const keys = keysIn(text);
  const lines = linesOf(text);
  const noted = lines.filter((line) => line.startsWith(PUBLIC_NOTE)).map((line) => line.slice(PUBLIC_NOTE.length));
  const checked = checkedRecipient(lines, keys, noted);
  if (checked !== undefined) return { keys, recipients: [checked] };
  const recipients = noted.length > 0 && keys.every(isIdentity) ? keys.map(recipientOf) : [];
  if (!noted.every((recipient) => recipients.includes(recipient))) {
    throw new IntegrityError(`${from} is damaged: the private key in it does not belong to the public key beside it. Put back a copy of the file; without it nothing sealed to that key can be read.`);
  }
  if (keys.length === 0 || !keys.every(isIdentity)) throw new ConfigError(`${from} holds no private key of replay-harness; it should begin with RH-IDENTITY-.`);
  return { keys, recipients };
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
    // Loaded only when needed: a replayed program sees which of Node's modules are loaded.
    return process.getBuiltinModule('node:child_process').execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch {
    throw new ConfigError(`REPLAY_HARNESS_IDENTITY: the command "${command.replace(/RH-IDENTITY-[\w-]+/g, 'RH-IDENTITY-…')}" failed.`);
  }
}
