/**
 * `replay --children live`: the Node processes that the recorded program had started are replayed too, each against its
 * own run. What the program heard of them comes from its own log all the same.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../model/divergence.ts';
import { ConfigError } from '../../model/error.ts';
import { exitCodeOf, explain, isBadChild } from '../../replay/report.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { ended } from '../harnessed.ts';
import { CLI } from '../package-files.ts';

/** @returns whether `--children` asks for it @throws ConfigError */
export function wantsChildren(given: string | undefined): boolean {
  if (given !== undefined && given !== 'injected' && given !== 'live') throw new ConfigError(`--children takes injected or live, not "${given}".`);
  return given === 'live';
}

/** Replays them one after the other, theirs with them, and says what came of each. @param pace options for each of them @returns the whole, which is not identical unless all of them are */
export async function replayChildren(store: EmbeddedStore, parent: Report, pace: readonly string[]): Promise<{ readonly code: number; readonly report: Report }> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const children: Report[] = [];
    let code = 0;
    for (const { manifest } of store.list().filter((run) => run.manifest.parentRunId === parent.runId).reverse()) {
      const file = join(folder, `${manifest.id}.json`);
      const said = await replayOne(store, manifest.id, [...pace, '--report', file]);
      const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
      const all = report ? [report, ...(report.children ?? [])] : [];
      process.stderr.write(report ? all.map((one) => `${withoutChildren(one)}\n`).join('') : said);
      children.push(...all);
      if (!report) code ||= 1;
    }
    const failed = children.find(isBadChild);
    const report = { ...parent, ...(failed && { verdict: failed.verdict, code: failed.code }), children };
    return { code: failed ? exitCodeOf(failed) : code, report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What it prints is in the parent's replay already, where it was to be seen. @returns what the harness said of it */
async function replayOne(store: EmbeddedStore, run: string, options: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, 'replay', run, '--store', store.location, ...options, '--children', 'live'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  await ended(child);
  return Buffer.concat(said).toString();
}

/** Each child has a line of its own. */
function withoutChildren(report: Report): string {
  return report.step === null && report.verdict === 'diverged' ? explain({ ...report, verdict: 'identical' }) : explain(report);
}
