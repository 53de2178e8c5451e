/** Rounds of agents, recorded on each Node version and replayed by meaning on each. */
import { parseArgs } from 'node:util';
import { AGENT_CASES } from '../support/catalogue.ts';
import { replayByMeaning, RUNTIMES } from '../support/replay-by-meaning.ts';

const ROUNDS = 20;

export async function stressByMeaning(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { rounds: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' } } });
  const versions = (given: string | undefined): string[] => given?.split(',') ?? [...RUNTIMES.keys()];
  let failed = 0;
  for (const agent of AGENT_CASES.filter(({ agent }) => positionals.some((name) => agent.includes(name)))) {
    const faults: string[] = [];
    const rounds = Number(values.rounds ?? ROUNDS);
    for (let round = 0; round < rounds; round++) {
      for (const recorder of versions(values.from)) await replayByMeaning(agent, recorder, versions(values.to)).catch((error: Error) => faults.push(error.message));
    }
    const runs = rounds * versions(values.from).length;
    console.log([`${agent.agent.padEnd(44)} ${runs - faults.length}/${runs}`, ...faults.slice(0, 3).map((fault) => `    ${fault}`)].join('\n'));
    failed += faults.length;
  }
  return failed === 0 ? 0 : 1;
}
