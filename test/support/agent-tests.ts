/** One test for every agent of a group: recorded and replayed several times. REPEAT=20 for more. */
import { basename } from 'node:path';
import { itNeeds } from './databases/test-databases.ts';
import { type AgentCase, recordAndReplay } from './record-and-replay.ts';

const ROUNDS = Number(process.env['REPEAT'] ?? 3);

export function itReplays(cases: readonly AgentCase[]): void {
  for (const agent of cases) {
    const name = agent.label ? `${basename(agent.agent)} (${agent.label})` : agent.agent;
    itNeeds(agent.needs ?? [], name, { timeout: ROUNDS * 60_000 }, async () => {
      for (let round = 0; round < ROUNDS; round++) await recordAndReplay(agent, round);
    });
  }
}
