/** `Math.random`: the run's own seeded stream. */
import { patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

export function installRandom(session: Session): void {
  patchMethod(Math, 'random', () => {
    const { random } = session;
    return () => random();
  });
}
