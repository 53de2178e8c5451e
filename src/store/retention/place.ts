/** Finds the archive that a text names, and keeps one in a folder. */
import { StoreUnavailableError } from '../../model/error.ts';
import type { Retention } from '../../model/retention.ts';
import { uuidv7 } from '../../model/uuid.ts';
import { nativeFs } from '../../runtime/natives.ts';
import { makeFolder } from '../make-folder.ts';
import { writeDurably } from '../intake.ts';
import { absent, type ArchivePlace } from './archive-place.ts';

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
