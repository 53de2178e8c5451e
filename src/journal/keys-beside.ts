/**
 * Sealed run keys that lie beside a journal, of runs whose headers cannot hold them: one that came from another host is sealed
 * anew to its readers here, and one that lies in an archive keeps its keys at home, so that destroying them erases the archive.
 */
import { IntegrityError } from '../model/error.ts';
import { jsonParse, jsonStringify, nativeCrypto, nativeFs } from '../runtime/natives.ts';
import type { SealedKey } from './format.ts';

export const KEYS_FILE = 'keys.json';

export interface KeysBeside {
  /** Open the run. */
  readonly keys: readonly SealedKey[];
  /** What the headers of its segments hold. */
  readonly header: readonly SealedKey[];
}

export function formatKeys({ keys, header }: KeysBeside): string {
  return `${jsonStringify({ keys, header, check: checkOf({ keys, header }) })}\n`;
}

/** @returns undefined where there are none @throws IntegrityError */
export function keysBeside(folder: string): KeysBeside | undefined {
  const file = `${folder}/${KEYS_FILE}`;
  if (!nativeFs.existsSync(file)) return undefined;
  const text = nativeFs.readFileSync(file, 'utf8');
  let parsed: KeysBeside;
  try {
    parsed = jsonParse(text) as KeysBeside;
  } catch {
    throw damaged(file);
  }
  if (!Array.isArray(parsed?.keys) || !Array.isArray(parsed.header) || text !== formatKeys(parsed)) throw damaged(file);
  return parsed;
}

function damaged(file: string): IntegrityError {
  return new IntegrityError(`${file} is damaged: its checksum does not match what it says. The run beside it cannot be opened without it.`);
}

function checkOf(keys: KeysBeside): string {
  return nativeCrypto.createHash('sha256').update(jsonStringify(keys)).digest('hex');
}
