/** Bundle of a recorded process. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { record } from './record.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const session = record(control);
  if (session) installBoundaries(session, warmInternals);
});
