/** Bundle of a recorded process, and of its worker threads. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { recordLane } from './lane.ts';
import { record } from './record.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const recording = record(control);
  if (recording) installBoundaries(recording.session, warmInternals, recording.propagate);
}, () => {
  const session = recordLane();
  if (session) installBoundaries(session, warmInternals);
});
