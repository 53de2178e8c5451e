// `npm run demo`: records an agent against a local model server, stops the server, replays the run
// offline and compares the two byte for byte.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';

/**
 * @typedef {{ stdout: Buffer, stderr: Buffer, exitCode: number | null, signal: NodeJS.Signals | null, durationMs: number }} Outcome
 * @typedef {{ port: number, url: string, stop: () => Promise<number> }} Server
 * @typedef {{ verdict?: string, liveCalls?: number | unknown[] }} Report
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist/cli/main.mjs');
const STORE = join(ROOT, '.replay');
const MODEL_SERVER = join(ROOT, 'samples/model-server/server.mjs');
const AGENT = 'samples/wrong-argument/agent.mjs';
const HARNESS_LINE = /^replay-harness:.*(?:\n|$)/gm;
const COLOURED = process.stdout.isTTY && !process.env.NO_COLOR;

/** @param {Parameters<typeof styleText>[0]} style @param {string} text */
const paint = (style, text) => (COLOURED ? styleText(style, text) : text);

/** @param {string} [text] */
const say = (text = '') => console.log(text);

/** @param {string} text */
const heading = (text) => say(`\n${paint('bold', `── ${text} `.padEnd(80, '─'))}\n`);

async function main() {
  if (!existsSync(CLI)) throw new Error(`${CLI} is missing: run \`npm run build\` first`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const folder = await mkdtemp(join(tmpdir(), 'replay-harness-demo-'));
  try {
    process.exitCode = (await recordAndReplay(join(folder, 'report.json'))) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} reportFile */
async function recordAndReplay(reportFile) {
  const server = await startServer();
  heading('1. Record: the agent talks to a model server');
  const recorded = await runCli(['record', '--store', STORE, '--', 'node', AGENT], {
    OPENAI_API_KEY: 'sk-demo-not-a-real-key',
    OPENAI_BASE_URL: `${server.url}/v1`,
  });

  heading('2. Stop the model server');
  const liveCalls = await server.stop();
  await assertRefused(server.port);
  say(`It answered ${liveCalls} requests and has exited; 127.0.0.1:${server.port} refuses connections.`);

  heading('3. Replay: no server, no API key');
  const replayed = await runCli(['replay', 'latest', '--store', STORE, '--report', reportFile], {});
  return summarise(recorded, liveCalls, replayed, await readReport(reportFile));
}

/** @returns {Promise<Server>} */
async function startServer() {
  const child = spawn(process.execPath, [MODEL_SERVER, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  process.once('exit', () => child.kill());
  const url = /http:\S+/.exec(await firstLine(child.stdout))?.[0];
  if (!url) throw new Error('the model server did not start');
  return { port: Number(new URL(url).port), url, stop: () => stopServer(child) };
}

/** @param {import('node:stream').Readable} stream */
async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line;
  return '';
}

/** @param {import('node:child_process').ChildProcessByStdio<null, any, any>} child @returns {Promise<number>} requests it served */
async function stopServer(child) {
  const farewell = collect(child.stderr);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return Number(/served (\d+) requests/.exec(String(await farewell))?.[1]);
}

/** @param {number} port */
async function assertRefused(port) {
  const socket = connect(port, '127.0.0.1');
  const refused = await new Promise((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code === 'ECONNREFUSED'));
  });
  socket.destroy();
  if (!refused) throw new Error(`something still answers on port ${port}`);
}

/**
 * Runs one verb with its output shown as it comes.
 * @param {string[]} args
 * @param {Record<string, string>} extraEnv
 * @returns {Promise<Outcome>}
 */
async function runCli(args, extraEnv) {
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...inherited } = process.env;
  say(paint('dim', `$ replay-harness ${args.map((arg) => arg.replace(ROOT, './')).join(' ')}\n`));
  const startedAt = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd: ROOT, env: { ...inherited, ...extraEnv }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stderr, { end: false });
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([collect(child.stdout), collect(child.stderr), once(child, 'close')]);
  return { stdout, stderr, exitCode, signal, durationMs: performance.now() - startedAt };
}

/** @param {import('node:stream').Readable} stream */
function collect(stream) {
  /** @type {Buffer[]} */
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  return once(stream, 'close').then(() => Buffer.concat(chunks));
}

/** @param {string} file @returns {Promise<Report>} */
async function readReport(file) {
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
}

/** @param {Outcome} recorded @param {number} liveCalls @param {Outcome} replayed @param {Report} report */
function summarise(recorded, liveCalls, replayed, report) {
  const differences = findDifferences(recorded, replayed, report);
  heading('Result');
  table([
    ['', 'recorded', 'replayed'],
    ['lines', String(lineCount(recorded)), String(lineCount(replayed))],
    ['exit code', exitOf(recorded), exitOf(replayed)],
    ['duration', milliseconds(recorded), milliseconds(replayed)],
    ['live calls', String(liveCalls), liveCallsOf(report)],
  ]);
  if (differences.length > 0) {
    say(`\nverdict: ${paint('red', 'DIFFERENT')} (${differences.join('; ')})`);
    return false;
  }
  say(`\nverdict: ${paint('green', 'identical')} (stdout, stderr and exit code, byte for byte)`);
  sayNext();
  return true;
}

/** @param {Outcome} recorded @param {Outcome} replayed @param {Report} report */
function findDifferences(recorded, replayed, report) {
  return [
    recorded.stdout.length === 0 && 'the recorded agent printed nothing',
    !recorded.stdout.equals(replayed.stdout) && 'stdout differs',
    ownStderr(recorded) !== ownStderr(replayed) && 'stderr differs',
    exitOf(recorded) !== exitOf(replayed) && 'exit code differs',
    report.verdict !== 'identical' && `the report says ${report.verdict ?? 'nothing'}`,
  ].filter((difference) => difference !== false);
}

/** The agent's own, byte for byte (latin1 maps bytes one to one). @param {Outcome} outcome */
function ownStderr({ stderr }) {
  return stderr.toString('latin1').replace(HARNESS_LINE, '');
}

/** @param {Outcome} outcome */
function lineCount(outcome) {
  return (outcome.stdout.toString('latin1') + ownStderr(outcome)).split('\n').length - 1;
}

/** @param {Outcome} outcome */
const exitOf = ({ exitCode, signal }) => String(signal ?? exitCode);

/** @param {Outcome} outcome */
const milliseconds = ({ durationMs }) => `${Math.round(durationMs)} ms`;

/** @param {Report} report */
function liveCallsOf({ liveCalls }) {
  return String(Array.isArray(liveCalls) ? liveCalls.length : (liveCalls ?? 'unknown'));
}

/** @param {string[][]} rows */
function table(rows) {
  for (const [label = '', ...cells] of rows) say(paint('dim', label.padEnd(12)) + cells.map((cell) => cell.padStart(12)).join(''));
}

function sayNext() {
  say('\nNext:');
  const commands = {
    'show latest': 'the run, step by step',
    runs: 'all recorded runs',
    'replay latest': 'the same again, as often as you like',
    'check latest': 'is the recording intact?',
  };
  for (const [verb, purpose] of Object.entries(commands)) say(`  ${`npx replay-harness ${verb}`.padEnd(34)}${paint('dim', purpose)}`);
}

await main().catch((error) => {
  console.error(`demo: ${error.message}`);
  process.exit(1); // a model server that still runs would keep this process alive
});
