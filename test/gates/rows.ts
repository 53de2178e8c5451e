/** For each gate: a program that needs it, what the world is like when it is replayed, and how its absence is noticed. Data only. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binding } from '../../src/runtime/bindings.ts';
import { spoilFiles, writeFiles } from '../support/agent-files.ts';
import type { Output } from '../support/execute.ts';
import type { Workspace } from '../support/workspace.ts';
import type { Gate } from './without.ts';

/** `named`: when it is recorded; else the verdict of the replay. */
export type Noticed = 'named' | 'diverged' | 'blocked' | 'truncated';

export interface Row {
  readonly agent: string;
  /** What comes of it with all gates in place. Default: `identical`. */
  readonly withAll?: Noticed;
  readonly noticed: Noticed;
  readonly nodeArgs?: readonly string[];
  readonly output?: Output;
  readonly prepare?: (workspace: Workspace) => void;
  /** Between recording and replay. */
  readonly spoil?: (workspace: Workspace) => void;
  /** Major versions of Node that have what the gate is for. */
  readonly node?: (major: number) => boolean;
  /** Entries of a list that this version of Node has. */
  readonly exists?: (entry: string) => boolean;
}

const files = { prepare: writeFiles, spoil: spoilFiles };
const collectsNothing = (workspace: Workspace): void => writeFileSync(join(workspace.folder, 'collect.mjs'), 'export const collect = false;\n');

export const INSTALLS: Readonly<Record<Gate, Row>> = {
  installFinalizers: { agent: 'finalizer.mjs', noticed: 'diverged', nodeArgs: ['--expose-gc'], spoil: collectsNothing },
  installHandles: { agent: 'network.mjs', noticed: 'named' },
  installTls: { agent: 'tls.mjs', noticed: 'named' },
  installTerminals: { agent: 'terminal.mjs', noticed: 'diverged', output: 'terminal' },
  installCrypto: { agent: 'entropy.mjs', noticed: 'named' },
  installDns: { agent: 'dns.mjs', noticed: 'named' },
  installFs: { agent: 'files.mjs', noticed: 'named', ...files },
  installFsJobs: { agent: 'files.mjs', noticed: 'diverged', ...files, node: (major) => major >= 26 },
  installZlib: { agent: 'compression.mjs', noticed: 'named' },
  installTimers: { agent: 'timer.mjs', noticed: 'diverged' },
  installProcess: { agent: 'process-facts.mjs', noticed: 'diverged' },
  installSignals: { agent: 'signal.mjs', noticed: 'named' },
  installRandom: { agent: 'random.mjs', noticed: 'diverged' },
  installClock: { agent: 'clock.mjs', noticed: 'diverged' },
  installUncaptured: { agent: 'loop-delay.mjs', noticed: 'named', withAll: 'named' },
  installModuleHooks: { agent: 'hooks.mjs', noticed: 'named', node: (major) => major < 24 },
  installStacks: { agent: 'stack.mjs', noticed: 'diverged' },
  installExit: { agent: 'random.mjs', noticed: 'truncated' },
};

/** Lists of which each entry is a gate; the agent takes the entry as its argument. */
export const LISTS: Readonly<Record<string, Row>> = {
  'fs.ts/READS': { agent: 'file-reads.mjs', noticed: 'diverged', ...files, exists: (entry) => entry in binding('fs') },
};

/** Lists of names that are no gates, and why. */
export const NO_GATES: Readonly<Record<string, string>> = {
  'fs.ts/PUBLIC_NAMES': 'what the refused functions are called',
};
