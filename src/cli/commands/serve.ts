/** `serve <run>`: the recorded HTTP traffic of any run on a loopback port, for a program that is not Node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../model/divergence.ts';
import { ConfigError, TruncatedError } from '../../model/error.ts';
import { openAuthority } from '../../proxy/authority.ts';
import { proxiedEnvironment } from '../../proxy/environment.ts';
import { type Front, openFront } from '../../proxy/front.ts';
import { Desk } from '../../proxy/serve/desk.ts';
import { Answers, type Problem } from '../../replay/serve/answers.ts';
import type { Network } from '../../replay/semantic/network.ts';
import { loadConfig } from '../../store/configuration.ts';
import { identities, keyFolder } from '../../store/keyring.ts';
import { maskReport } from '../../store/masking/mask-report.ts';
import { oneRun, parse, portNumber } from '../arguments.ts';
import { ended, startProgram } from '../harnessed.ts';
import { DIST } from '../package-files.ts';
import { counted } from '../render/text.ts';
import { requireWritable, writeReport } from '../replay/report-file.ts';
import { problemBody, problemText, reportOf, summaryText } from '../serve/verdict.ts';
import { findRun } from '../stores.ts';

export async function serve(args: readonly string[]): Promise<number> {
  const parsed = parse('serve', args, { port: { type: 'string' }, report: { type: 'string' }, json: { type: 'boolean' } }, { server: true });
  const { port = '0', report: file, json = false } = parsed.values as { port?: string; report?: string; json?: boolean };
  const selector = oneRun('serve', parsed);
  const wanted = portNumber('--port', port);
  const { command } = parsed;
  if (command?.length === 0) throw new ConfigError('serve: after "--" comes the program that is to be answered. Leave "--" out to serve until you stop it.');
  requireWritable(file);
  const began = performance.now();
  const run = await findRun(parsed, selector);
  const { id } = run.manifest;
  const { events, runKey, complete } = parsed.store.tape(run, identities(process.env));
  if (events.length === 0) throw new TruncatedError(`The recording ${id} ended before its first event: there is nothing to serve.`);
  const lanes = [events, ...parsed.store.lanes(run, identities(process.env)).map((lane) => lane.events)];
  const { match, mask } = loadConfig(process.env, process.cwd());
  const answers = new Answers(lanes, match?.ignore ?? [], network());
  const withoutSecrets = (problem: Problem): Problem => {
    const { expected, actual, firstDifference } = maskReport(asReport(id, problem), lanes.flat(), { mask, key: runKey });
    return { ...problem, expected: expected ?? '', actual: actual ?? '', firstDifference };
  };
  const desk = new Desk({ answers, isComplete: complete, masked: withoutSecrets, body: (problem) => problemBody(id, problem), told: (problem) => say(problemText(id, problem)) });
  const authority = openAuthority(keyFolder(process.env));
  const front = await openFront(wanted, authority, desk, desk.raw);
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    if (answers.unserved.length > 0) say(`the run holds what is not served: ${answers.unserved.join(', ')}`);
    const environment = proxiedEnvironment(process.env, { url: front.url, authority, folder });
    if (json) (command ? process.stderr : process.stdout).write(`${JSON.stringify({ run: id, url: front.url, port: front.port, trusted: environment['SSL_CERT_FILE'], calls: answers.total })}\n`);
    else if (!command) say(`serving ${id} (${counted(answers.total, 'recorded call')}) on ${front.url}: as base URL, or as http_proxy and https_proxy with SSL_CERT_FILE=${environment['SSL_CERT_FILE'] ?? ''}. Ctrl-C ends it`);
    const code = command ? await answer(command, environment) : await stopped();
    front.close();
    const outcome = { answered: desk.answered, unused: answers.unused, problems: desk.problems };
    const report = reportOf(id, outcome, { durationMs: Math.round(performance.now() - began), recordedDurationMs: run.manifest.durationMs ?? 0 });
    if (file !== undefined) writeReport(file, report);
    say(summaryText(id, outcome, complete));
    return report.verdict === 'identical' ? code : 3;
  } finally {
    closeQuietly(front, folder);
  }
}

/** @returns the exit code of the program */
async function answer([program = '', ...args]: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  return (await ended(startProgram({ command: program, args, cwd: process.cwd(), env, stdio: 'inherit' }))).code;
}

function stopped(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(0));
  });
}

function say(text: string): void {
  process.stderr.write(`replay-harness: ${text}\n`);
}

function closeQuietly(front: Front, folder: string): void {
  front.close();
  rmSync(folder, { recursive: true, force: true });
}

/** msw, in the bundle that a replay by meaning loads, too. */
function network(): Network {
  const load = createRequire(import.meta.url) as (path: string) => { createNetwork: () => Network };
  return load(`${DIST}/loader/semantic-network.cjs`).createNetwork();
}

function asReport(runId: string, { expected, actual, firstDifference }: Problem): Report {
  return reportOf(runId, { answered: 0, unused: [], problems: [{ code: 'REPLAY_MISMATCH', step: 0, kind: '', expected, actual, firstDifference }] }, { durationMs: 0, recordedDurationMs: 0 });
}
