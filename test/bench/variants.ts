/** Who is measured: bare Node (twice, for the noise), the harness and its peers. */
import { join } from 'node:path';
import { CLI, PRELOAD } from '../support/paths.ts';

export interface Run {
  /** Arguments of node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Variant {
  readonly id: string;
  readonly label: string;
  /** @param folder a new one, where it writes @param agent arguments of node that run the program */
  record(folder: string, agent: readonly string[]): Run;
  replay?(folder: string, agent: readonly string[]): Run;
}

export const BARE = 'bare';
export const AGAIN = 'bare again';
export const HARNESS = 'replay-harness';

const bare = (_folder: string, agent: readonly string[]): Run => ({ args: agent });

const OWN: readonly Variant[] = [
  { id: BARE, label: 'bare Node', record: bare },
  { id: AGAIN, label: 'bare Node once more (the noise)', record: bare },
  {
    id: HARNESS,
    label: 'replay-harness',
    record: (folder, agent) => ({ args: [...PRELOAD.import, ...agent], env: { REPLAY_HARNESS_STORE: join(folder, 'store') } }),
    replay: (folder) => ({ args: [CLI, 'replay', 'latest', '--store', join(folder, 'store'), '--report', join(folder, 'report.json')] }),
  },
];

export const VARIANTS: readonly Variant[] = OWN;
