/** Where an archive is. One object per run; an object is written whole or not at all. */
import { IntegrityError, StoreUnavailableError } from '../../model/error.ts';

export interface ArchivePlace {
  /** As the configuration writes it; a folder is absolute. */
  readonly to: string;
  /** @throws StoreUnavailableError */
  put(name: string, bytes: Buffer): Promise<void>;
  /** @throws IntegrityError when it is not there @throws StoreUnavailableError */
  get(name: string): Promise<Buffer>;
  /** No error where it is not there. @throws StoreUnavailableError */
  remove(name: string): Promise<void>;
}

/** What the tombstone of a tape says that lies in an archive: the words before the place. */
export const ARCHIVED = 'archived: ';

/** Name of a run's object in an archive. */
export function objectOf(run: string): string {
  return `${run}.replay-archive`;
}

/** @param isGone the archive answers, and the object is not in it */
export function absent(isGone: boolean, to: string, name: string, why: string): IntegrityError | StoreUnavailableError {
  if (isGone) return new IntegrityError(`The archive ${to} holds no ${name}: it was deleted there.`);
  return new StoreUnavailableError(`The archive ${to} cannot be read: ${why}.`);
}
