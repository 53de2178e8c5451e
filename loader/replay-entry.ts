/** Bundle of a replayed process. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { replay } from './replay.ts';
import { loadUndiciFirst, warmInternals } from './warm.ts';

enter((control) => {
  const { session, surface, start } = replay(control);
  installBoundaries(session, () => {
    const giveBack = warmInternals();
    if (surface === 0) loadUndiciFirst();
    return giveBack;
  });
  start();
});
