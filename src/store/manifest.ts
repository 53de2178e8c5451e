/** The manifest's file: JSON for anybody to read, with a checksum that finds any altered byte. */
import { IntegrityError } from '../model/error.ts';
import type { RunManifest } from '../model/run.ts';
import { jsonParse, jsonStringify, nativeCrypto } from '../runtime/natives.ts';

/** Without a checksum only these are known: one that lost its name must not pass for none. */
const FIELDS: ReadonlySet<string> = new Set<keyof RunManifest>([
  'format', 'id', 'parentRunId', 'forkedFrom', 'replayOf', 'name', 'agent', 'tags', 'status', 'pid', 'processStart', 'startedAt', 'durationMs', 'exitCode', 'signal', 'tail', 'node', 'platform',
  'uncaptured', 'lost',
]);

export function formatManifest(manifest: RunManifest): string {
  return `${jsonStringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

/** @throws IntegrityError naming `file` and what is wrong with it */
export function parseManifest(text: string, file: string, id: string): RunManifest {
  const damaged = (why: string): IntegrityError => new IntegrityError(`${file} is damaged: ${why}.`);
  let parsed: unknown;
  try {
    parsed = jsonParse(text);
  } catch {
    throw damaged('it is not valid JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw damaged('it is not a manifest');
  const { checksum, ...manifest } = parsed as RunManifest & { checksum?: string };
  if (checksum === undefined) {
    const unknown = Object.keys(manifest).find((name) => !FIELDS.has(name));
    if (unknown !== undefined) throw damaged(`its field "${unknown}" is unknown, and its checksum is missing`);
  } else if (checksum !== checksumOf(manifest) || text !== formatManifest(manifest)) throw damaged('its checksum does not match what it says');
  if (manifest.format !== 1) throw new IntegrityError(`${file} has manifest format ${String(manifest.format)}, which this replay-harness does not know. Update replay-harness to the version that recorded it.`);
  if (manifest.id !== id) throw damaged(`it belongs to run ${String(manifest.id)}`);
  return manifest;
}

function checksumOf(manifest: RunManifest): string {
  return nativeCrypto.createHash('sha256').update(jsonStringify(manifest)).digest('hex');
}
