import type { RandomStream } from '../../capture/random.ts';
import type { Overlay } from '../overlay.ts';
import type { Printer } from '../print.ts';
import type { Pending } from '../replay-session.ts';

/** What is under way in a replay that becomes a fork. */
export interface HandOver {
  readonly pending: Map<number, Pending>;
  /** Of operations that are done again for real, and have come to their outcome before their turn. */
  readonly outcomes: ReadonlyMap<number, () => void>;
  /** Tells of those that come to it from here on. */
  readonly settled: (listener: (operation: number, run: () => void) => void) => void;
  readonly streams: Map<number, number>;
  readonly printer: Printer;
  readonly overlay: Overlay;
  readonly stream: RandomStream;
  readonly operations: number;
  /** Number of the first event that is not replayed. */
  readonly from: number;
  /** What the clocks showed last; 0: never read. */
  readonly clock: { readonly date: number; readonly performance: number; readonly hrtime: bigint };
}
