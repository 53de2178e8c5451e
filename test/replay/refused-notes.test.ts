import { expect, it } from 'vitest';
import type { LaneEvent, RunFacts } from '../../src/model/event.ts';
import { type Ending, ReplaySession } from '../../src/replay/replay-session.ts';
import { Tape } from '../../src/replay/tape.ts';

const FACTS = { cwd: '/', argv: ['node', '/agent.mjs'], stdio: ['pipe', 'pipe', 'pipe'], seed: 'seed', startedAt: 0 } as unknown as RunFacts;

it('what an older recorder did not capture is refused by its name, also where it is captured now', () => {
  const events: LaneEvent[] = [
    { type: 'begin', seq: 0, at: 0, facts: FACTS },
    { type: 'note', seq: 1, at: 1, name: 'fs.writeFile', stack: 'at agent.mjs:4:34', effect: 'refused' },
    { type: 'start', seq: 2, at: 2, operation: 1, kind: 'timer', key: '[5]' },
    { type: 'end', seq: 3, at: 3 },
  ];
  const endings: Ending[] = [];
  const session = new ReplaySession({ facts: FACTS, tape: new Tape(events, true, null), trace: undefined, temporary: undefined, finish: (ending) => endings.push(ending) });
  session.operation('fs', '["open","audit.log",1089,438]', () => {});
  expect(endings).toMatchObject([{ verdict: 'blocked', blocked: ['fs.writeFile'], divergence: { code: 'LIVE_CALL_BLOCKED', actual: 'fs.writeFile' } }]);
});
