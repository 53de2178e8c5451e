/** Ids of runs: UUIDv7, ordered by time. */
import { ConfigError } from './error.ts';
import { dateNow, nativeCrypto } from '../runtime/natives.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isRunId(text: string): boolean {
  return UUID.test(text);
}

/** The id of a run that a user gives: it names a folder. @throws ConfigError */
export function requireRunId(id: string): string {
  if (!isRunId(id)) throw new ConfigError(`REPLAY_HARNESS_RUN is "${id}"; when recording it takes the id of the new run: a UUID in lower case, for instance ${uuidv7()}.`);
  return id;
}

export function uuidv7(): string {
  return withTime(nativeCrypto.randomBytes(16));
}

/** The id of a run that another one brings about. @param origin what tells it from all others */
export function derivedId(origin: string): string {
  return withTime(nativeCrypto.createHash('sha256').update(origin).digest().subarray(0, 16));
}

function withTime(bytes: Buffer): string {
  bytes.writeUIntBE(dateNow(), 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
