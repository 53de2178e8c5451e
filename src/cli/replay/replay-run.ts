/** One run, replayed from its begin to its verdict: what `replay` does, and `verify` with many. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../model/divergence.ts';
import type { RunFacts } from '../../model/event.ts';
import type { RunManifest } from '../../model/run.ts';
import { exitCodeOf, explain } from '../../replay/report.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { EmbeddedStore } from '../../store/embedded.ts';
import { type Environment, identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import type { Partial as PartialReplay } from '../commands/replay-partial.ts';
import { optionsLeftOut, requireCommand, requireRecordedWithin, startable } from '../imported-facts.ts';
import { DIST } from '../package-files.ts';
import { perform } from './perform.ts';
import { planOf, sandboxMode } from './plan.ts';
import { writeReport } from './report-file.ts';
import { OWN, type Output } from './streams.ts';

/** How runs are replayed, whichever they are. */
export interface ReplayOptions {
  readonly sandbox?: string | undefined;
  readonly node?: string | undefined;
  readonly loose?: boolean | undefined;
  /** What runs instead of the recorded command. */
  readonly command?: readonly string[] | undefined;
}

export interface ReplayRequest extends ReplayOptions {
  readonly store: EmbeddedStore;
  readonly run: StoredRun;
  /** Variables of the program's that are other ones this time. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of the user who replays; default: of this process. */
  readonly user?: Environment;
  /** Private keys to read with; default: the user's. */
  readonly readers?: () => readonly string[];
  /** File that the report is written to. */
  readonly report?: string | undefined;
  /** Its child processes are to be replayed after it. */
  readonly withChildren?: boolean;
  /** At the recorded pace. */
  readonly realtime?: boolean;
  /** Of a partial replay. @param complete whether the recording is sealed */
  readonly part?: (complete: boolean) => PartialReplay | undefined;
  /** Where what the program prints and what is said of it goes; default: where this process prints, with its terminal. */
  readonly output?: Output;
}

export interface ReplayedRun {
  /** The contract's; of a run that went as it should, the program's own. */
  readonly code: number;
  /** undefined where the process came to no verdict; why has been said. */
  readonly report: Report | undefined;
}

/** Says what came of it, once it is known. @throws HarnessError before anything is started */
export async function replayRun({ store, run, sandbox, node, loose = false, command, env = {}, user = process.env, readers = () => identities(user), report: file, withChildren = false, realtime = false, part, output = OWN }: ReplayRequest): Promise<ReplayedRun> {
  requireRecordedWithin(run.manifest, 'replay');
  requireCommand(run.manifest, command, withChildren);
  const mode = sandboxMode(sandbox);
  const { events, runKey, complete } = store.tape(run, readers());
  const [begin] = events;
  const say = (text: string): void => void output.stderr.write(`${text}\n`);
  if (begin?.type !== 'begin') {
    const report = nothingToReplay(run.manifest.id);
    if (file !== undefined) writeReport(file, report);
    say(explain(report));
    return { code: exitCodeOf(report), report };
  }
  const partial = part?.(complete);
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const facts = run.manifest.imported ? startable(begin.facts, command ?? [], DIST) : begin.facts;
    const plan = planOf(facts, { store: store.location, runKey, folder, mode, node, env, command, loose, realtime, match: loadConfig(user, process.cwd()).match, user });
    const performed = await perform(plan, output, output !== OWN, partial);
    const report = performed.report && refusedAtEnd(await masked(performed.report, store, run, user, readers), run.manifest);
    if (file !== undefined && report) writeReport(file, report);
    if (!report) {
      // A process that refused to replay has said why.
      if (!existsSync(plan.outside.control.refusal as string)) say(`replay-harness: the replayed process ended (exit ${performed.code}) before it reached a verdict`);
      return { code: performed.code === 0 ? 1 : performed.code, report };
    }
    if (report.stoppedAt !== undefined) return { code: 0, report };
    say(explain(report));
    if (run.manifest.imported && report.verdict !== 'identical') output.stderr.write(aboutImport(run.manifest, begin.facts, report));
    return { code: report.verdict === 'identical' ? performed.code : exitCodeOf(report), report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refusedAtEnd(report: Report, { fork }: RunManifest): Report {
  return report.verdict === 'truncated' && fork?.refused ? { ...report, refused: fork.refused } : report;
}

/** The process that replayed has masked what its own lane knows of. */
async function masked(report: Report, store: EmbeddedStore, run: StoredRun, user: Environment, readersOf: () => readonly string[]): Promise<Report> {
  if (report.verdict !== 'diverged') return report;
  // What finds secrets knows all protocols: most replays do without.
  const { maskReport } = await import('../../store/masking/mask-report.ts');
  const readers = readersOf();
  const { events, runKey } = store.tape(run, readers);
  return maskReport(report, [...events, ...store.lanes(run, readers).flatMap((lane) => lane.events)], { mask: loadConfig(user, process.cwd()).mask, key: runKey });
}

/** What an imported run may differ by through no fault of the program's. */
function aboutImport({ imported }: RunManifest, facts: RunFacts, { step }: Report): string {
  const left = optionsLeftOut(facts);
  const own = (imported?.underivable ?? []).filter(({ lane, event }) => lane === 0 && (step === null || event >= step));
  const lines = [
    ...(left.length > 0 ? [`the run was recorded with options of Node that an imported run is not given: ${left.join(', ')}. If you trust them, write them before the program: -- node OPTIONS PATH`] : []),
    ...(own.length > 0 ? [`the run has stand-ins for its secrets, and not everything can be derived from them: ${own.slice(0, 5).map(({ event, what }) => `${what} (step ${event})`).join('; ')}. Ask for a bundle that was exported --with-secrets to your key`] : []),
  ];
  return lines.map((line) => `replay-harness: ${line}\n`).join('');
}

/** The recorded process was killed before its first event was on disk. */
function nothingToReplay(runId: string): Report {
  return {
    runId, verdict: 'truncated', fidelity: 'exact', step: null, kind: null, expected: null, actual: null, firstDifference: null, stack: [], drifts: [], blocked: [],
    liveCalls: 0, steps: 0, durationMs: 0, recordedDurationMs: 0, code: null, signal: null, changedCode: [], sandbox: null,
  };
}
