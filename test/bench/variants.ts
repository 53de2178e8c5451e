/** Who is measured: bare Node (twice, for the noise), the harness and its peers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
  /** Why it is not replayed here. */
  readonly noReplay?: string;
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
    // What processes take in a sandbox with process numbers of its own is not counted with what started it.
    replay: (folder) => ({ args: [CLI, 'replay', 'latest', '--store', join(folder, 'store'), '--report', join(folder, 'report.json'), '--sandbox', 'process'] }),
  },
];

export const PEERS_FOLDER: string = fileURLToPath(new URL('.', import.meta.url));

/** A preload puts each into the same unmodified script; its users change their program instead. */
const PEERS: readonly Variant[] = [
  peer('@use-tusk/drift-node-sdk', 'tusk', 'its replay needs the Tusk CLI, which is no npm package'),
  peer('@exodus/replay', 'exodus'),
  peer('@pollyjs/core', 'polly'),
  peer('nock', 'nock'),
];

export const VARIANTS: readonly Variant[] = [...OWN, ...PEERS];

function peer(name: string, file: string, noReplay?: string): Variant {
  const run = (mode: 'record' | 'replay') => (folder: string, agent: readonly string[]): Run => ({
    args: ['--import', pathToFileURL(join(PEERS_FOLDER, 'peers', `${file}.mjs`)).href, ...agent],
    env: { PEER_FOLDER: folder, PEER_MODE: mode, TUSK_DRIFT_MODE: mode },
  });
  const { dependencies } = JSON.parse(readFileSync(join(PEERS_FOLDER, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  return { id: name, label: `${name} ${dependencies[name]}`, record: run('record'), ...(noReplay ? { noReplay } : { replay: run('replay') }) };
}
