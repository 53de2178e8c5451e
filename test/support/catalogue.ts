/** The agents, by what they are about, and what each needs around it. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeWritten, spoilFiles, writeFiles, writeWholeFiles } from './agent-files.ts';
import { PACKAGES, ROOT } from './paths.ts';
import { type AgentCase, all, sortedLines } from './record-and-replay.ts';
import type { Workspace } from './workspace.ts';

const network: readonly AgentCase[] = [
  { agent: 'fetch-json.mjs' },
  { agent: 'http-keep-alive.mjs' },
  { agent: 'https.mjs' },
  { agent: 'axios.mjs' },
  { agent: 'undici-package.mjs' },
  { agent: 'undici-features.mjs' },
  { agent: 'sse-fetch.mjs' },
  { agent: 'sse-http.mjs' },
  { agent: 'parallel-fetch.mjs' },
  { agent: 'semantic-streams.mjs' },
  { agent: 'fetch-clones.mjs' },
  { agent: 'abort.mjs' },
  { agent: 'dns.mjs' },
  { agent: 'unix-socket.mjs' },
  { agent: 'tcp-echo.mjs' },
  { agent: 'local-ports.mjs' },
  { agent: 'socket-buffer.mjs', sameAsBare: all },
  { agent: 'sockets.mjs' },
  { agent: 'connection-errors.mjs' },
  { agent: 'unread-bodies.mjs', nodeArgs: ['--expose-gc'] },
  // Node's own undici is loaded before any preload where the environment names a proxy.
  { agent: 'unread-bodies.mjs', label: 'unread bodies through a proxy that the environment names', nodeArgs: ['--expose-gc'], env: ({ url }) => ({ NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1', HTTP_PROXY: url }) },
  { agent: 'unread-bodies.mjs', label: 'unread bodies behind a preload that has used fetch', nodeArgs: ['--expose-gc'], env: { NODE_OPTIONS: '--import=data:text/javascript,void(Response)' } },
  { agent: 'zlib.mjs' },
  { agent: 'upload.mjs', prepare: writeFiles, spoil: spoilFiles },
  { agent: 'request-bodies.mjs' },
  { agent: 'compressed-streams.mjs' },
  { agent: 'http-features.mjs' },
  { agent: 'http-queue.mjs' },
  { agent: 'keep-alive-races.mjs' },
  { agent: 'pipelining.mjs' },
  { agent: 'tls-clients.mjs' },
  { agent: 'certificates.mjs', sameAsBare: all },
  { agent: 'proxy.mjs' },
  { agent: 'proxy-by-env.mjs', env: ({ url }) => ({ NODE_USE_ENV_PROXY: '1', NODE_NO_WARNINGS: '1', HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '' }) },
  { agent: 'websocket.mjs' },
  { agent: 'wasm.mjs' },
  { agent: 'streams.mjs' },
];

const http2: readonly AgentCase[] = [
  { agent: 'http2.mjs', sameAsBare: (stdout) => stdout.replace(/\d+\.\d+/g, 'TIME') },
  { agent: 'http2-tls.mjs' },
  { agent: 'http2-errors.mjs', sameAsBare: all },
];

const packageAgent = (name: string): string => join(PACKAGES, 'agents', name);

const channels: readonly AgentCase[] = [
  { agent: packageAgent('http2-clients.mjs') },
  { agent: packageAgent('s18-grpc.mjs'), companion: packageAgent('grpc-server.mjs'), env: { GREETER_PROTO: packageAgent('greeter.proto') } },
  // What is global later is there on Node 20 for those who ask.
  { agent: packageAgent('s18-websocket.mjs'), companion: packageAgent('ws-server.mjs'), nodeArgs: process.versions.node.startsWith('20.') ? ['--no-warnings', '--experimental-websocket'] : [] },
];

const datagrams: readonly AgentCase[] = [{ agent: 'udp.mjs', sameAsBare: all }];

const models: readonly AgentCase[] = [
  { agent: 'openai-tool-loop.mjs' },
  { agent: 'openai-abort.mjs' },
  { agent: 'anthropic-stream.mjs' },
  { agent: 'anthropic-overloaded.mjs' },
  { agent: join(PACKAGES, 'agents/ai-stream-text.mjs') },
  { agent: join(PACKAGES, 'agents/langgraph-tools.mjs') },
  // Now and then it answers a ticket wrongly: that is what it is there for.
  { agent: join(ROOT, 'samples/wrong-argument/agent.mjs'), label: 'the sample', exitCode: [0, 1] },
];

const timers: readonly AgentCase[] = [{ agent: 'timers.mjs' }, { agent: 'timer-objects.mjs', sameAsBare: sortedLines }, { agent: 'timer-errors.mjs' }, { agent: 'timer-race.mjs' }];

const values: readonly AgentCase[] = [
  { agent: 'builtins.mjs' },
  { agent: 'builtins.cjs', preload: 'require' },
  { agent: 'math-random.mjs' },
  { agent: 'random-values.mjs' },
  { agent: 'crypto-keys.mjs' },
  { agent: 'key-encapsulation.mjs', nodeArgs: ['--no-warnings'] },
  { agent: 'inspected-timers.mjs' },
  { agent: 'loop-figures.mjs' },
  { agent: 'webcrypto.mjs' },
  { agent: 'clocks.mjs' },
  { agent: 'vm-contexts.mjs' },
  { agent: 'inspected.mjs', sameAsBare: all },
  { agent: 'process-facts.mjs', args: ['--flag', 'an argument'], env: { MARK: 'set' } },
];

const files: readonly AgentCase[] = [
  { agent: 'file-reads.mjs', prepare: writeFiles, spoil: spoilFiles },
  { agent: 'whole-reads.mjs', prepare: writeWholeFiles, spoil: spoilFiles, sameAsBare: all },
  { agent: 'whole-writes.mjs', prepare: removeWritten, spoil: removeWritten, sameAsBare: all },
  { agent: 'file-facts.mjs', prepare: writeFiles, spoil: spoilFiles },
  { agent: 'file-errors.mjs', prepare: writeFiles, spoil: spoilFiles, sameAsBare: all },
  { agent: 'imports.mjs' },
  { agent: 'file-writes.mjs', prepare: removeWritten, spoil: removeWritten },
  { agent: 'file-changes.mjs', prepare: removeWritten, spoil: removeWritten },
  { agent: 'file-folders.mjs', prepare: writeFiles, spoil: spoilFiles },
  { agent: 'file-watches.mjs', prepare: removeWritten, spoil: removeWritten },
  { agent: 'large-files.mjs', args: ['4'], prepare: removeWritten, spoil: removeWritten, sameAsBare: all },
  { agent: 'written-requires.mjs', prepare: removeWritten, spoil: removeWritten, sameAsBare: all },
  // Node 20 resolves an import by a function that cannot be reached: it has to be on the disk.
  ...(process.versions.node.startsWith('20.') ? [] : [{ agent: 'written-modules.mjs', prepare: removeWritten, spoil: removeWritten, sameAsBare: all }]),
];

const typed = { pipe: '{"answer":"yes, ünbedingt"}\nsecond line\nthird' };
const lines = 'first\nsecond\nenough\nnever read\n';
const inFile = (content: string) => (workspace: Workspace) => ({ file: workspace.write('stdin.txt', content) });

const standardStreams: readonly AgentCase[] = [
  { agent: 'stdin.mjs', label: 'pipe', stdin: typed },
  { agent: 'stdin.mjs', label: 'large pipe', stdin: { pipe: `{"answer":"long"}\n${'x'.repeat(400_000)}` } },
  { agent: 'stdin.mjs', label: 'file', stdin: inFile(typed.pipe) },
  { agent: 'stdin-lines.mjs', label: 'pipe', stdin: { pipe: lines } },
  { agent: 'stdin-lines.mjs', label: 'file', stdin: inFile(lines) },
  { agent: 'stdin-questions.mjs', stdin: { pipe: 'yes, ünbedingt\n' } },
  { agent: 'stdin-sync.mjs', label: 'pipe', stdin: typed },
  { agent: 'stdin-sync.mjs', label: 'file', stdin: inFile(typed.pipe) },
  { agent: 'descriptors.mjs', prepare: (workspace) => rmSync(workspace.path('named.pipe'), { force: true }), spoil: (workspace) => rmSync(workspace.path('named.pipe')), sameAsBare: all },
  { agent: 'terminal-facts.mjs', sameAsBare: all },
  { agent: 'output.mjs', sameAsBare: all },
  { agent: 'output.mjs', label: 'into files', output: 'files', sameAsBare: all },
  { agent: 'output.mjs', label: 'into a shell’s pipes', output: 'fifos', sameAsBare: all },
  ...(['pipes', 'files', 'fifos'] as const).map((output) => ({ agent: 'descriptor-writes.mjs', label: output, prepare: removeWritten, spoil: removeWritten, ...(output !== 'pipes' && { output }), sameAsBare: all })),
  ...(['pipes', 'files', 'fifos'] as const).map((output) => ({ agent: 'descriptor-races.mjs', label: output, ...(output !== 'pipes' && { output }) })),
  { agent: 'large-output.mjs', sameAsBare: all },
  { agent: 'large-output.mjs', label: 'into files', output: 'files', sameAsBare: all },
  { agent: 'large-output.mjs', label: 'into a shell’s pipes', output: 'fifos', sameAsBare: all },
];

const endings: readonly AgentCase[] = [
  { agent: 'uncaught-error.mjs', exitCode: 1 },
  { agent: 'unhandled-rejection.mjs', exitCode: 1 },
  { agent: 'rejected-import.mjs', exitCode: 1, sameAsBare: all },
  { agent: 'exit-code.mjs', exitCode: 4 },
  { agent: 'exit-in-tick.mjs', exitCode: 3 },
  { agent: 'never-settled.mjs', exitCode: 13, sameAsBare: all },
  { agent: 'cut-off-output.mjs', output: 'unread', exitCode: 5, sameAsBare: all },
  { agent: 'after-exit.mjs', exitCode: 9 },
  { agent: 'lifecycle.mjs', exitCode: 9 },
  { agent: 'handlers.mjs' },
  { agent: 'signals.mjs' },
];

/** Ticks behind a callback run from `runNextTicks` where another waits in the same phase, which may be one of ours. */
const withoutNextTicks = (stdout: string): string => stdout.replace(/ {4}at processTicksAndRejections (\(.*\))\n {4}at runNextTicks \(.*\)\n {4}at (?:process\.processImmediate|listOnTimeout) \(.*\)(?:\n {4}at process\.processTimers \(.*\))?/g, '    at process.processTicksAndRejections $1');

const contexts: readonly AgentCase[] = [{ agent: 'stacks.mjs', sameAsBare: withoutNextTicks }, { agent: 'async-local-storage.mjs', sameAsBare: all }, { agent: 'errors-in-contexts.mjs', sameAsBare: sortedLines }, { agent: 'ticks-after-errors.mjs' }, { agent: 'domain.cjs', sameAsBare: sortedLines }];

const children: readonly AgentCase[] = [
  { agent: 'children/events.mjs', starts: true },
  { agent: 'children/streams.mjs', starts: true },
  { agent: 'children/exec.mjs', starts: true },
  { agent: 'children/sync.mjs', starts: true },
  { agent: 'children/kill.mjs', starts: true },
  { agent: 'children/fork.mjs', starts: true },
  { agent: 'children/fork-values.mjs', sameAsBare: all },
  { agent: 'children/inherit.mjs', starts: true, sameAsBare: all },
  { agent: 'children/inherit.mjs', label: 'into files', output: 'files', starts: true, sameAsBare: all },
  { agent: 'children/inherit.mjs', label: 'into a shell’s pipes', output: 'fifos', starts: true, sameAsBare: all },
];

const threads: readonly AgentCase[] = [
  { agent: 'workers/echo.mjs' },
  { agent: 'workers/lifecycles.mjs', sameAsBare: sortedLines },
  { agent: 'workers/channels.mjs', sameAsBare: sortedLines },
  { agent: 'workers/pool.mjs' },
  { agent: 'workers/direct-prints.mjs', sameAsBare: all },
];

/** What the acceptance cases run: each has a test of its own. */
const cases: readonly AgentCase[] = [
  { agent: join(PACKAGES, 'agents/s03-multipart.mjs'), prepare: (workspace) => void workspace.write('upload.bin', randomBytes(200_000)), spoil: (workspace) => void workspace.write('upload.bin', 'something else') },
  { agent: 'cases/s04-edges.mjs' },
  ...['break', 'abort', 'aborted'].map((how) => ({ agent: 'cases/s08-given-up.mjs', label: how, args: [how] })),
  { agent: 'cases/s08-http.mjs' },
  { agent: 'cases/s08-mcp.mjs' },
  { agent: join(PACKAGES, 'agents/mcp-http.mjs') },
  { agent: 'cases/s09-retries.mjs' },
  { agent: 'cases/s14-dies.mjs' },
  { agent: 'cases/s24-worker.mjs', sameAsBare: all },
  { agent: join(PACKAGES, 'agents/s19-workers.mjs') },
  { agent: 'cases/s30-approval.mjs', stdin: { typed: [{ question: 'approve? ', answer: 'y\n', after: 30 }, { question: 'reason? ', answer: 'ünbedingt\n', after: 5 }] } },
];

const packaged = (agent: string): string => join(PACKAGES, 'agents', agent);

/** Drivers at the real servers. */
const databases: readonly AgentCase[] = [
  { agent: packaged('pg-queries.mjs'), needs: ['postgres'] },
  { agent: packaged('pg-pool.mjs'), needs: ['postgres'] },
  { agent: packaged('pg-streams.mjs'), needs: ['postgres'] },
  { agent: packaged('pg-notify.mjs'), needs: ['postgres'] },
  { agent: packaged('pg-tls.mjs'), needs: ['postgres'] },
  { agent: packaged('postgres-js.mjs'), needs: ['postgres'] },
  ...['2', '3'].map((protocol): AgentCase => ({ agent: packaged('ioredis.mjs'), label: `RESP${protocol}`, args: [protocol], needs: ['redis'] })),
  { agent: packaged('node-redis.mjs'), needs: ['redis'] },
];

/** Of ports, only that there are some. */
const withoutPorts = (stdout: string): string => sortedLines(stdout.replace(/(127\.0\.0\.1|\[::1\]):\d+/g, '$1:PORT'));

const servers: readonly AgentCase[] = [
  { agent: 'servers/http.mjs', visitors: 'http' },
  { agent: 'servers/edges.mjs', visitors: 'edges' },
  { agent: 'servers/timeouts.mjs', visitors: 'timeouts', sameToVisitors: () => '' },
  { agent: 'servers/crowd.mjs', visitors: 'crowd' },
  { agent: 'servers/https.mjs', visitors: 'https' },
  { agent: 'servers/http2.mjs', visitors: 'http2' },
  { agent: 'servers/http2-secure.mjs', visitors: 'http2-secure' },
  { agent: join(PACKAGES, 'agents/server-grpc.mjs'), visitors: 'grpc', env: { GREETER_PROTO: join(PACKAGES, 'agents/greeter.proto') } },
  { agent: 'servers/net.mjs', visitors: 'net' },
  { agent: 'servers/unix.mjs', visitors: 'unix', env: ({ env }) => ({ LISTEN_PATH: `${env['SERVER_SOCKET']}.service` }), sameAsBare: (stdout) => stdout.replaceAll(/\S+\.service/g, 'PATH') },
  { agent: 'servers/contexts.mjs', visitors: 'contexts', sameAsBare: withoutPorts },
  { agent: 'servers/self.mjs', sameAsBare: withoutPorts },
  { agent: 'servers/graceful.mjs', visitors: 'graceful' },
  { agent: join(PACKAGES, 'agents/server-express.mjs'), visitors: 'express' },
  { agent: join(PACKAGES, 'agents/server-fastify.mjs'), visitors: 'fastify' },
  { agent: join(PACKAGES, 'agents/server-ws.mjs'), visitors: 'ws' },
];

const everything: readonly AgentCase[] = [
  { agent: 'everything.mjs' },
  { agent: join(PACKAGES, 'agents/everything-else.mjs'), needs: ['postgres', 'redis'], prepare: (workspace) => rmSync(workspace.path('notes'), { recursive: true, force: true }) },
];

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
/** For agents that need what came with a later version. */
const since = (major: number, ...agents: AgentCase[]): AgentCase[] => (NODE_MAJOR >= major ? agents : []);
const envFiles = (workspace: Workspace): void => {
  workspace.write('first.env', 'FROM_OPTION=set before\nSHARED=first\nMULTI="two\nlines"\n');
  workspace.write('later.env', 'FROM_CALL=set later\nSHARED=later\n');
  workspace.write('.env', 'FROM_DEFAULT=default\nEMPTY=\n');
};
const removeEnvFiles = (workspace: Workspace): void => {
  for (const name of ['first.env', 'later.env', '.env']) rmSync(workspace.path(name));
};
const noDatabase = (workspace: Workspace): void => {
  for (const name of readdirSync(workspace.folder)) if (name.startsWith('notes.db')) rmSync(workspace.path(name));
};

/** What else the runtime and the engine bring into a program. */
const runtime: readonly AgentCase[] = [
  { agent: 'runtime/codecs.mjs', sameAsBare: sortedLines },
  { agent: 'runtime/web-streams.mjs' },
  { agent: 'runtime/wasm-streaming.mjs' },
  { agent: 'runtime/crypto-jobs.mjs' },
  { agent: 'runtime/subtle-jobs.mjs' },
  { agent: 'runtime/scheduling.mjs' },
  { agent: 'runtime/performance-entries.mjs' },
  { agent: 'runtime/garbage-entries.mjs', nodeArgs: ['--expose-gc'] },
  { agent: 'runtime/histograms.mjs' },
  { agent: 'runtime/time-zones.mjs' },
  { agent: 'runtime/time-zones.mjs', label: 'of the environment', env: { TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8' } },
  { agent: 'runtime/zone-of-host.mjs', sameAsBare: all },
  { agent: 'runtime/contexts.mjs', nodeArgs: ['--expose-gc', '--experimental-vm-modules', '--no-warnings'] },
  { agent: 'runtime/collected.mjs', nodeArgs: ['--expose-gc'] },
  { agent: 'runtime/process-sources.mjs' },
  { agent: 'runtime/mocks.mjs' },
  { agent: 'runtime/modules.mjs' },
  { agent: 'runtime/channels.mjs' },
  ...since(22,
    { agent: 'runtime/env-files.mjs', nodeArgs: ['--env-file=first.env'], env: { LATER_FILE: 'later.env' }, prepare: envFiles, spoil: removeEnvFiles, sameAsBare: all },
    { agent: 'runtime/event-source.mjs', nodeArgs: ['--experimental-eventsource'] },
    { agent: 'runtime/storage.mjs', nodeArgs: ['--experimental-webstorage', '--no-warnings'] },
    { agent: 'runtime/sqlite-memory.mjs' },
    { agent: 'runtime/sqlite-file.mjs', prepare: noDatabase, spoil: noDatabase }),
  ...since(24, { agent: 'runtime/locks.mjs' }),
];

const wasi: readonly AgentCase[] = [
  { agent: 'wasi/files.mjs', nodeArgs: ['--no-warnings'], prepare: removeWritten, spoil: removeWritten, sameAsBare: all },
  { agent: 'wasi/values.mjs', prepare: removeWritten, spoil: removeWritten, stdin: { pipe: 'first and more\n' } },
  { agent: 'wasi/module.mjs', prepare: (workspace) => void workspace.write('words.txt', 'words of a file'), spoil: removeWritten, stdin: { pipe: 'words on stdin' }, exitCode: 5, sameAsBare: all },
];

type Group = 'network' | 'http2' | 'channels' | 'datagrams' | 'models' | 'timers' | 'values' | 'files' | 'standardStreams' | 'endings' | 'contexts' | 'children' | 'threads' | 'cases' | 'databases' | 'servers' | 'runtime' | 'wasi' | 'everything';

export const CATALOGUE: Readonly<Record<Group, readonly AgentCase[]>> = { network, http2, channels, datagrams, models, timers, values, files, standardStreams, endings, contexts, children, threads, cases, databases, servers, runtime, wasi, everything };

export const AGENT_CASES: readonly AgentCase[] = Object.values(CATALOGUE).flat();
