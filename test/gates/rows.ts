/** For each gate: a program that needs it, what the world is like when it is replayed, and how its absence is noticed. Data only. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binding } from '../../src/runtime/bindings.ts';
import { writeFiles } from '../support/agent-files.ts';
import type { Output } from '../support/execute.ts';
import type { Workspace } from '../support/workspace.ts';
import type { Gate } from './without.ts';

/** `named`: when it is recorded; `broken`: the program itself fails when it is recorded; else the verdict of the replay, which says so where it came to none. */
export type Noticed = 'named' | 'broken' | 'diverged' | 'blocked' | 'truncated' | 'no verdict';

export interface Row {
  readonly agent: string;
  /** What comes of it with all gates in place. Default: `identical`. */
  readonly withAll?: Noticed;
  readonly noticed: Noticed;
  /** Entries of a list that are noticed otherwise. */
  readonly others?: Readonly<Record<string, Noticed>>;
  readonly nodeArgs?: readonly string[];
  readonly output?: Output;
  readonly prepare?: (workspace: Workspace) => void;
  /** Between recording and replay. */
  readonly spoil?: (workspace: Workspace) => void;
  /** Recorded with all gates. */
  readonly onlyInReplay?: boolean;
  /** Major versions of Node that have what the gate is for. */
  readonly node?: (major: number) => boolean;
  /** Entries of a list that this version of Node has. */
  readonly exists?: (entry: string) => boolean;
}

/** Nothing that was read is there any more, and what is written has no place. */
const files = {
  prepare: writeFiles,
  spoil: (workspace: Workspace): void => {
    for (const name of ['bytes.bin', 'large.txt', 'data.json', 'link', 'folder']) rmSync(workspace.path(name), { recursive: true, force: true });
    workspace.write('notes.txt', 'something else altogether');
  },
};
const forgetsWritten = (workspace: Workspace): void => rmSync(workspace.path('made'), { recursive: true });
const losesDatabase = (workspace: Workspace): void => rmSync(workspace.path('rows.db'));
/** What is told to the second differs then. */
const waitsForNextSecond = (): void => {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second);
};
const losesBox = (workspace: Workspace): void => rmSync(workspace.path('box'), { recursive: true });
const collectsNothing = (workspace: Workspace): void => writeFileSync(join(workspace.folder, 'collect.mjs'), 'export const collect = false;\n');

export const NODE_MAJOR: number = Number(process.versions.node.split('.')[0]);
const isNode20 = (major: number): boolean => major === 20;

export const INSTALLS: Readonly<Record<Gate, Row>> = {
  installFinalizers: { agent: 'finalizer.mjs', noticed: 'diverged', nodeArgs: ['--expose-gc'], spoil: collectsNothing },
  installHandles: { agent: 'network.mjs', noticed: 'named' },
  'handles.ts/installStreamMethods': { agent: 'network.mjs', noticed: 'diverged' },
  installServers: { agent: 'server.mjs', noticed: 'named' },
  installTls: { agent: 'tls.mjs', noticed: 'named' },
  'tls.ts/installStreamMethods': { agent: 'tls.mjs', noticed: 'diverged' },
  installDescriptors: { agent: 'descriptor.mjs', noticed: 'named', prepare: (workspace) => void execFileSync('mkfifo', [workspace.path('named.pipe')]), spoil: (workspace) => rmSync(workspace.path('named.pipe')) },
  installTerminals: { agent: 'terminal.mjs', noticed: 'diverged', output: 'terminal' },
  installCrypto: { agent: 'entropy.mjs', noticed: 'named' },
  installDns: { agent: 'dns.mjs', noticed: 'named' },
  installFs: { agent: 'files.mjs', noticed: 'named', ...files },
  'fs.ts/installHandleStreams': { agent: 'web-stream.mjs', noticed: 'diverged', ...files, node: isNode20 },
  'fs-handle-streams.ts/installStreamMethods': { agent: 'web-stream.mjs', noticed: 'diverged', ...files, node: isNode20 },
  'fs.ts/installModuleStat': { agent: 'written-module.cjs', noticed: 'diverged', spoil: forgetsWritten, node: isNode20 },
  'fs.ts/installFsJobs': { agent: 'files.mjs', noticed: 'diverged', ...files, node: (major) => major >= 26 },
  'fs.ts/installDirectories': { agent: 'folder.mjs', noticed: 'named', ...files },
  'fs.ts/installBlobs': { agent: 'blob.mjs', noticed: 'diverged', withAll: 'named', ...files },
  'fs.ts/installWatchers': { agent: 'watcher.mjs', noticed: 'named', ...files },
  installHttpServers: { agent: 'http-server.mjs', noticed: 'diverged', spoil: waitsForNextSecond },
  'http-servers.ts/installConsuming': { agent: 'http-server.mjs', noticed: 'diverged' },
  'http-servers.ts/installConnectionLists': { agent: 'http-server.mjs', noticed: 'diverged', onlyInReplay: true },
  'http-servers.ts/installDates': { agent: 'http-server.mjs', noticed: 'diverged', spoil: waitsForNextSecond },
  installHttp2: { agent: 'http2-client.mjs', noticed: 'named' },
  installUdp: { agent: 'udp.mjs', noticed: 'named' },
  installChildren: { agent: 'child.mjs', noticed: 'named' },
  installSharedMemory: { agent: 'wait.mjs', noticed: 'diverged', withAll: 'named' },
  installChannels: { agent: 'channel.mjs', noticed: 'named' },
  installWorkers: { agent: 'worker.mjs', noticed: 'named' },
  installAddons: { agent: 'addon.mjs', noticed: 'named', withAll: 'named' },
  installZlib: { agent: 'compression.mjs', noticed: 'named' },
  installTimers: { agent: 'timer.mjs', noticed: 'diverged' },
  installProcess: { agent: 'process-facts.mjs', noticed: 'diverged' },
  installSignals: { agent: 'signal.mjs', noticed: 'named' },
  installRandom: { agent: 'random.mjs', noticed: 'diverged' },
  installClock: { agent: 'clock.mjs', noticed: 'diverged' },
  'clock.ts/installNodeTiming': { agent: 'timing.mjs', noticed: 'diverged' },
  'clock.ts/installHrtime': { agent: 'hrtime.mjs', noticed: 'diverged' },
  installContexts: { agent: 'contexts.mjs', noticed: 'diverged' },
  installPerformanceEntries: { agent: 'entry.mjs', noticed: 'diverged', nodeArgs: ['--expose-gc'], spoil: collectsNothing },
  installHistograms: { agent: 'loop-delay.mjs', noticed: 'named' },
  installLateModules: { agent: 'database.mjs', nodeArgs: ['--no-warnings'], noticed: 'diverged', spoil: losesDatabase, node: (major) => major >= 22 },
  'late-modules.ts/installSqlite': { agent: 'database.mjs', nodeArgs: ['--no-warnings'], noticed: 'diverged', spoil: losesDatabase, node: (major) => major >= 22 },
  'late-modules.ts/installWasi': { agent: 'wasi-calls.mjs', nodeArgs: ['--no-warnings'], noticed: 'diverged', spoil: losesBox },
  installUncaptured: { agent: 'heap-snapshot.mjs', noticed: 'named', withAll: 'named' },
  // On Node 22 it is noticed, too: in which way depends on the moment.
  installModuleHooks: { agent: 'hooks.mjs', noticed: 'named', node: isNode20 },
  installStacks: { agent: 'stack.mjs', noticed: 'diverged' },
  installExit: { agent: 'random.mjs', noticed: 'truncated' },
};

/** On one machine most of these say the same twice: only the replay goes without. */
const facts: Row = { agent: 'process-reads.mjs', noticed: 'diverged', onlyInReplay: true };

/** Lists of which each entry is a gate; the agent takes the entry as its argument. */
export const LISTS: Readonly<Record<string, Row>> = {
  // Node 20's loader reads modules by these, from handles of ours.
  'fs.ts/CALLS': { agent: 'file-calls.mjs', noticed: 'diverged', others: isNode20(NODE_MAJOR) ? { fstat: 'broken', read: 'broken' } : {}, ...files, exists: (entry) => entry in binding('fs') && entry !== 'lchmod' },
  'fs.ts/WRITES': { agent: 'file-calls.mjs', noticed: 'diverged', ...files },
  'process.ts/PROCESS_READS': { ...facts, exists: (entry) => entry in process },
  'process.ts/IDENTITIES': { agent: 'identities.mjs', noticed: 'diverged', onlyInReplay: true },
  'process.ts/OS_READS': facts,
  'process.ts/V8_READS': facts,
  'streams.ts/ENCODINGS': { agent: 'socket-writes.mjs', noticed: 'diverged' },
  'streams.ts/WRITES': { agent: 'socket-writes.mjs', noticed: 'diverged' },
  'tls.ts/CALLBACKS': { agent: 'tls-callbacks.mjs', noticed: 'diverged' },
  // Nobody has shaken hands natively: asked for the certificate's error, the runtime crashes.
  'tls.ts/READINGS': { agent: 'tls-readings.mjs', noticed: 'diverged', onlyInReplay: true, others: { verifyError: 'no verdict' }, exists: (entry) => entry in (binding('tls_wrap')['TLSWrap'] as { prototype: object }).prototype },
  'handles.ts/FIRST_USES': { agent: 'terminal-uses.mjs', noticed: 'diverged', output: 'terminal', onlyInReplay: true },
  'udp.ts/CALLS': { agent: 'udp.mjs', noticed: 'diverged', onlyInReplay: true },
  'udp.ts/FILLING': { agent: 'udp.mjs', noticed: 'diverged', onlyInReplay: true },
  // On loopback no error comes by itself.
  'udp.ts/CALLBACKS': { agent: 'udp.mjs', noticed: 'diverged', onlyInReplay: true, exists: (entry) => entry !== 'onerror' },
  // All are patched alike: one of each sort.
  'wasi-abi.ts/ABI': { agent: 'wasi-calls.mjs', nodeArgs: ['--no-warnings'], noticed: 'diverged', onlyInReplay: true, spoil: losesBox, exists: (entry) => ['clock_time_get', 'fd_read', 'fd_write', 'path_open'].includes(entry) },
  'tls.ts/ENGINE_STARTS': { agent: 'tls-over-stream.mjs', noticed: 'named', withAll: 'named' },
};

/** What has no row here, and why. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  installSharedServers: 'servers that processes share are named and refused: test/agents/uncaptured has them',
  installTimeZone: 'needs a machine in another zone: test/e2e/time-zone.test.ts',
  installIpc: 'only a program that was forked itself has it: test/cases/S15.test.ts',
  installWorkerThread: 'only a worker thread has it, and is not replayed by itself: test/agents/workers',
  'ports.ts/FROM': 'words of the journal',
  'tls.ts/ALL_CALLBACKS': 'made of the two others',
  'tls.ts/SERVER_CALLBACKS': 'no row yet: test/agents/servers/https.mjs',
  'tls.ts/SERVER_DRIVES': 'no row yet: test/agents/servers/https.mjs',
  'http2.ts/ENTRIES': 'no row yet: test/agents for HTTP/2 and gRPC',
  'shared-memory.ts/READS': 'only of packages that are known to read by Atomics: test/agents/workers',
  installWarnings: 'shows nothing of ours, and brings nothing: test/invisibility',
  'performance-entries.ts/PARTS': 'names that are shown',
  'performance-entries.ts/DEPRECATED': 'words of a warning',
  'sqlite.ts/EXECUTING': 'no row yet: test/agents for node:sqlite',
  'sqlite.ts/NEEDS_DATABASE': 'no row yet: test/agents for node:sqlite',
  'sqlite.ts/REGISTERING': 'no row yet: test/agents for node:sqlite',
  'wasi.ts/SIGNALS': 'names of numbers',
  'descriptors.ts/CLASSES': 'names of what is shown',
};
