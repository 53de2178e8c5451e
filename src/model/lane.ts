/** Where a worker thread finds what it needs to record its lane: in its environment data, until its preload has taken it. */
export const LANE = 'replay-harness.lane';
