/** Replayed output is real output: it goes where the recorded run's went. */
import { nativeFs } from '../runtime/natives.ts';

/** @param fd descriptor of a standard stream; anything else prints nothing */
export function print(fd: number | undefined, bytes: Uint8Array): void {
  if (fd !== 1 && fd !== 2) return;
  let at = 0;
  while (at < bytes.length) {
    try {
      at += nativeFs.writeSync(fd, bytes, at);
    } catch (error) {
      // Whoever reads is slow; whoever stopped reading does not stop the replay.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
    }
  }
}
