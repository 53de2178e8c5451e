/** Opens a replay by meaning: for another runtime than the recorded one, and for code that was changed on purpose. */
import { UnsupportedRuntimeError } from '../src/model/error.ts';
import type { LaneEvent, RunFacts } from '../src/model/event.ts';
import { rulesOf } from '../src/replay/semantic/meaning.ts';
import type { Network } from '../src/replay/semantic/network.ts';
import { Recording } from '../src/replay/semantic/recording.ts';
import { unservable } from '../src/replay/semantic/servable.ts';
import { type SemanticOptions, SemanticSession } from '../src/replay/semantic/semantic-session.ts';
import type { Control } from './control.ts';
import { loadUndiciFirst } from './warm.ts';

/** Lies beside this bundle. */
const NETWORK: string = `${__dirname}/semantic-network.cjs`;

/** @returns in what this runtime differs from the recorded one, in words */
export function otherRuntime({ node, platform, arch }: RunFacts): string | undefined {
  const [then, now] = [`${platform}-${arch}`, `${process.platform}-${process.arch}`];
  if (node !== process.version) return `recorded with Node ${node}${then === now ? '' : ` on ${then}`}, replayed with ${process.version}${then === now ? '' : ` on ${now}`}`;
  return then === now ? undefined : `recorded on ${then}, replayed on ${now}`;
}

type Given = Pick<SemanticOptions, 'facts' | 'tape' | 'trace' | 'temporary' | 'finish'>;

/** @throws UnsupportedRuntimeError for a run that holds what is not answered by meaning */
export function semantic(events: readonly LaneEvent[], given: Given, control: Control | undefined): { session: SemanticSession; warm: () => void } {
  const { facts } = given;
  const recording = new Recording(events);
  const other = otherRuntime(facts);
  requireServable(recording, facts, other);
  let network: Network | undefined;
  const session = new SemanticSession({
    ...given, recording, rules: rulesOf(control?.match?.ignore ?? []), isLoose: control?.loose === true, sameRuntime: other === undefined,
    network: { ask: (question) => (network as Network).ask(question) },
  });
  const warm = (): void => {
    // The parser was there when it was in the recorded run: until then no request left.
    loadUndiciFirst((run) => session.ordered('wasm', '["compile"]', false, (settle) => settle(run)));
    ({ network } = loadNetwork());
  };
  return { session, warm };
}

/** msw, in a bundle of its own: nothing else loads it. */
function loadNetwork(): { network: Network } {
  const load = require as (path: string) => typeof import('../src/replay/semantic/network.ts');
  return { network: load(NETWORK).createNetwork() };
}

function requireServable(recording: Recording, { runId, node }: RunFacts, other: string | undefined): void {
  const names = unservable(recording);
  if (names.length === 0) return;
  const wayOut = other === undefined
    ? 'Replay it without --loose.'
    : `An exact replay needs the very same version: give it with --node PATH, or install it (for instance: npx node@${node.slice(1)}).`;
  throw new UnsupportedRuntimeError(`The run ${runId} ${other === undefined ? 'cannot be replayed by meaning' : `was ${other}, so it would be replayed by meaning`}, and it holds what is only replayed exactly: ${names.join(', ')}. ${wayOut}`);
}
