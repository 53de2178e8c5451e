/** Bundle of a replayed process. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { replay } from './replay.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const { session, facts, start, warm } = replay(control);
  installBoundaries(session, facts, () => {
    const giveBack = warmInternals();
    warm();
    return giveBack;
  });
  start();
});
