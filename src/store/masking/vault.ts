/**
 * The way back from a stand-in to its secret. Each is sealed with a key of the run's own: who can read the run can open it,
 * a host that only records cannot, and destroying the run's key destroys the vault with it. Nothing is given out before it is
 * noted who asked for it, and what for.
 */
import { IntegrityError } from '../../model/error.ts';
import { bufferConcat, bufferFrom, nativeCrypto } from '../../runtime/natives.ts';
import type { Masker } from './masker.ts';
import { SECRET_KINDS, type SecretKind } from './secret.ts';

export interface VaultEntry {
  readonly standIn: string;
  readonly kind: SecretKind;
  readonly sealed: Buffer;
}

/** Who asked, and what for. */
export interface VaultQuestion {
  /** Of this run. */
  readonly run: string;
  /** undefined: all of the run's. */
  readonly standIns?: readonly string[] | undefined;
  readonly reader: string;
  readonly purpose: string;
}

/** Where a vault is kept. */
export interface Vault {
  /** Idempotent: what is there stays as it is. */
  put(run: string, entries: readonly VaultEntry[]): Promise<void>;
  /** Notes the question for good, then answers it. A stand-in that is not there is not in the answer. @throws StoreUnavailableError when it cannot be noted */
  take(question: VaultQuestion): Promise<VaultEntry[]>;
}

export interface Opened {
  readonly standIn: string;
  readonly kind: SecretKind;
  readonly value: string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param runKey of the run that the masker is of */
export function sealVault(masker: Masker, runKey: Uint8Array): VaultEntry[] {
  const key = vaultKey(runKey);
  return [...masker.standIns().values()].map(({ standIn, kind, value }) => {
    const iv = nativeCrypto.randomBytes(IV_BYTES);
    const cipher = nativeCrypto.createCipheriv('aes-256-gcm', key, iv).setAAD(bound(standIn, kind));
    return { standIn, kind, sealed: bufferConcat([iv, cipher.update(bufferFrom(value)), cipher.final(), cipher.getAuthTag()]) };
  });
}

/** @throws IntegrityError when an entry was altered, or belongs to another run or stand-in */
export async function openVault(vault: Vault, question: VaultQuestion, runKey: Uint8Array): Promise<Opened[]> {
  const key = vaultKey(runKey);
  return (await vault.take(question)).map(({ standIn, kind, sealed }) => {
    try {
      const decipher = nativeCrypto.createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES)).setAAD(bound(standIn, kind)).setAuthTag(sealed.subarray(-TAG_BYTES));
      return { standIn, kind, value: bufferConcat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).utf8Slice() };
    } catch {
      throw new IntegrityError(`The vault's entry for the stand-in ${standIn} of run ${question.run} does not open: it was altered, or belongs to another run.`);
    }
  });
}

export function isSecretKind(text: string): text is SecretKind {
  return (SECRET_KINDS as readonly string[]).includes(text);
}

function vaultKey(runKey: Uint8Array): Buffer {
  return bufferFrom(nativeCrypto.hkdfSync('sha256', runKey, '', 'replay-harness vault', 32));
}

/** An entry cannot be passed off as that of another stand-in. */
function bound(standIn: string, kind: string): Buffer {
  return bufferFrom(JSON.stringify([standIn, kind]));
}
