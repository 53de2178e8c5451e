/** Blobs that are backed by a file read it natively, when they are read: not captured. */
import { apply } from '../../runtime/natives.ts';
import { patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

export function installBlobs(session: Session): void {
  const fs = process.getBuiltinModule('node:fs');
  for (const name of ['openAsBlob', 'openAsBlobSync']) {
    patchMethod(fs, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      return session.uncaptured(`fs.${name}`, () => apply(native, this, args) as unknown);
    });
  }
}
