/** Bundle of a recorded process, and of its worker threads. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { recordLane } from './lane.ts';
import { record } from './record.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const recording = record(control);
  if (!recording) return;
  installBoundaries(recording.session, warmInternals, recording.propagate);
  recording.session.watch();
}, () => {
  const session = recordLane();
  if (!session) return;
  installBoundaries(session, warmInternals);
  session.watch();
});
