/** Bundle of a replayed process. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { replay } from './replay.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const { session, start } = replay(control);
  installBoundaries(session, warmInternals);
  start();
});
