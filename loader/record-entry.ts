/** Bundle of a recorded process, and of its worker threads. */
import { installBoundaries } from '../src/capture/boundaries/index.ts';
import { enter } from './enter.ts';
import { recordLane } from './lane.ts';
import { record } from './record.ts';
import { warmInternals } from './warm.ts';

enter((control) => {
  const recording = record(control);
  if (!recording) return;
  installBoundaries(recording.session, recording.facts, warmInternals, recording.propagate);
  recording.session.watch();
}, () => {
  const lane = recordLane();
  if (!lane) return;
  installBoundaries(lane.session, lane.facts, warmInternals, lane.propagate);
  lane.session.watch();
});
