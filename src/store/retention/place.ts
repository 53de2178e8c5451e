/** Where an archive is. One object per run; an object is written whole or not at all. */
import { IntegrityError, StoreUnavailableError } from '../../model/error.ts';
import type { Retention } from '../../model/retention.ts';
import { uuidv7 } from '../../model/uuid.ts';
import { nativeFs } from '../../runtime/natives.ts';
import { makeFolder } from '../make-folder.ts';
import { writeDurably } from '../intake.ts';

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

/** @param base folder that a relative one is meant from */
export async function placeAt(to: string, { s3, base }: { readonly s3?: Retention['s3']; readonly base: string }): Promise<ArchivePlace> {
  // The client of S3 is large, and few have a bucket.
  if (to.startsWith('s3://')) return (await import('./s3-place.ts')).s3Place(to, s3);
  return new FolderPlace(to.startsWith('/') ? to : `${base}/${to}`);
}

class FolderPlace implements ArchivePlace {
  readonly to: string;

  constructor(folder: string) {
    this.to = folder;
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const draft = `${this.to}/${name}.${uuidv7()}`;
    try {
      makeFolder(this.to);
      writeDurably(draft, bytes);
      nativeFs.renameSync(draft, `${this.to}/${name}`);
    } catch (error) {
      nativeFs.rmSync(draft, { force: true });
      throw new StoreUnavailableError(`The archive ${this.to} cannot be written: ${(error as Error).message}.`);
    }
  }

  async get(name: string): Promise<Buffer> {
    try {
      return nativeFs.readFileSync(`${this.to}/${name}`);
    } catch (error) {
      throw absent((error as NodeJS.ErrnoException).code === 'ENOENT' && nativeFs.existsSync(this.to), this.to, name, (error as Error).message);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      nativeFs.rmSync(`${this.to}/${name}`, { force: true });
    } catch (error) {
      throw new StoreUnavailableError(`${name} cannot be removed from the archive ${this.to}: ${(error as Error).message}.`);
    }
  }
}

/** @param isGone the archive answers, and the object is not in it */
export function absent(isGone: boolean, to: string, name: string, why: string): IntegrityError | StoreUnavailableError {
  if (isGone) return new IntegrityError(`The archive ${to} holds no ${name}: it was deleted there.`);
  return new StoreUnavailableError(`The archive ${to} cannot be read: ${why}.`);
}
