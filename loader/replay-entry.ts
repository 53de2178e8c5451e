/** Bundle of a replayed process. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { replay } from './replay.ts';
import { loadUndiciFirst, warmInternals } from './warm.ts';

enter((control) => {
  const { session, facts, start } = replay(control);
  installBoundaries(session, facts.nativeAddons ?? [], () => {
    const giveBack = warmInternals();
    if ((facts.surface ?? 0) === 0) loadUndiciFirst();
    return giveBack;
  });
  start();
});
