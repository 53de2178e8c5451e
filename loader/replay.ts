/** Opens a replay: the recorded run's tape, its process facts, a session that serves them. */
import type { Report } from '../src/model/divergence.ts';
import { ConfigError, IntegrityError, TruncatedError } from '../src/model/error.ts';
import { type LaneEvent, type RunFacts, SURFACE } from '../src/model/event.ts';
import { bufferFrom, cwd, defineProperty, killSelf, nativeFs, performanceNow, processEnv, reallyExit } from '../src/runtime/natives.ts';
import { AsyncTrace } from '../src/replay/async-trace.ts';
import { exitCodeOf, explain } from '../src/replay/report.ts';
import { PausableSession } from '../src/replay/pausable-session.ts';
import { type Ending, ReplaySession } from '../src/replay/replay-session.ts';
import type { Session } from '../src/capture/session.ts';
import type { SemanticEnding } from '../src/replay/semantic/semantic-session.ts';
import { Tape } from '../src/replay/tape.ts';
import { loadConfig, storeLocation } from '../src/store/configuration.ts';
import { EmbeddedStore } from '../src/store/embedded.ts';
import { maskReport } from '../src/store/masking/mask-report.ts';
import type { Tape as StoredTape } from '../src/store/run-store.ts';
import { identities } from '../src/store/keyring.ts';
import type { Control } from './control.ts';
import { type Forked, openFork } from './fork.ts';
import { openHalts } from './halts.ts';
import { otherRuntime, semantic } from './semantic.ts';
import { loadUndiciFirst } from './warm.ts';

/** Exit code of a fork that asked for something it may not do. */
const REFUSED = 6;

export interface Replay {
  readonly session: Session;
  readonly facts: RunFacts;
  readonly start: () => void;
  /** Loads what has to be there before the sources that it uses are patched. */
  readonly warm: () => void;
}

/** @throws HarnessError */
export function replay(control: Control | undefined): Replay {
  const selector = control?.run ?? processEnv['REPLAY_HARNESS_RUN'];
  if (!selector) throw new ConfigError('REPLAY_HARNESS_MODE=replay needs REPLAY_HARNESS_RUN: the run to replay, or latest.');
  const startedAt = performanceNow();
  const config = loadConfig(processEnv, cwd());
  const store = new EmbeddedStore(storeLocation(control?.store, processEnv, config, cwd()));
  const tape = store.tape(store.find(selector), control?.runKey === undefined ? identities(processEnv) : bufferFrom(control.runKey, 'base64url'));
  const [begin] = tape.events;
  if (begin?.type !== 'begin') throw new TruncatedError(`The recording ${selector} ended before its first event: there is nothing to replay.`);
  const { facts } = begin;
  requireKnownSurface(facts);
  const because = otherRuntime(facts) ?? (control?.loose ? 'the code may have changed (--loose)' : undefined);

  let trace: AsyncTrace | undefined;
  if (control?.trace) (trace = new AsyncTrace()).start();
  const finish = (ending: Ending | SemanticEnding, forked?: Forked): void => {
    opened?.leave();
    const masked = maskReport(reportOf(facts, tape, ending, performanceNow() - startedAt, because), tape.events, { mask: config.mask, key: tape.runKey });
    const report = { ...masked, ...(forked && { runId: forked.run, forkedFrom: facts.runId, liveCalls: forked.liveCalls, ...(forked.exitCode !== undefined && { exitCode: forked.exitCode }) }) };
    if (control?.report) nativeFs.writeFileSync(control.report, JSON.stringify(report));
    else if (ending.verdict !== 'identical') nativeFs.writeSync(2, `${explain(report)}\n`);
    if (ending.verdict !== 'identical') reallyExit(forked && ending.verdict === 'blocked' ? REFUSED : exitCodeOf(report));
    if (forked) return;
    if (ending.stoppedAt !== undefined) reallyExit(0);
    // The end is part of what is replayed: whoever waits for this process sees the signal that the recorded one died of.
    if (tape.signal !== null) killSelf(tape.signal);
  };
  if (because !== undefined && control?.halts) throw new ConfigError(`A replay can stop on its way (--until, --step, --inspect) where it is exact; this one goes by meaning, since ${because}.`);
  if (because !== undefined && control?.realtime) throw new ConfigError(`A replay keeps the recorded pace (--realtime) where it is exact; this one goes by meaning, since ${because}.`);
  if (because !== undefined && control?.fork) throw new ConfigError(`A fork begins as an exact replay; this one would go by meaning, since ${because}.${facts.node === process.version ? '' : ' Give the Node that recorded it: --node PATH'}`);
  const opened = control?.halts && openHalts(control.halts);
  const options = { facts, tape: new Tape(tape.events, tape.complete, tape.signal), trace, temporary: control?.temporary, finish };
  if (because !== undefined) {
    const { session, warm } = semantic(tape.events, options, control);
    restoreFacts(facts, control);
    return { session, facts, start: () => session.start(), warm };
  }
  const fork = control?.fork && openFork(control.fork, { facts, events: tape.events, finish });
  const replayed = new ReplaySession({ ...options, halts: opened?.halts, forks: fork?.forks, pace: control?.realtime ? paced() : undefined });
  restoreFacts(facts, control);
  const session = fork ? fork.session(replayed) : opened ? new PausableSession(replayed, opened.standsStill) : replayed;
  return { session, facts, start: () => replayed.start(), warm: () => loadAsRecorded(facts) };
}

/** By the clock of this process, from now on. @returns how long it is until the time that an event was recorded at, in milliseconds */
function paced(): (event: LaneEvent) => number {
  const began = performanceNow();
  return ({ at }) => Math.ceil(at / 1000 - (performanceNow() - began));
}

/** Recorders of surface 0 loaded undici before the program. */
function loadAsRecorded({ surface = 0 }: RunFacts): void {
  if (surface === 0) loadUndiciFirst();
}

function requireKnownSurface({ runId, surface = 0 }: RunFacts): void {
  if (surface <= SURFACE) return;
  throw new IntegrityError(`The run ${runId} was recorded by a newer replay-harness (capture surface ${surface}; this one knows up to ${SURFACE}). Update replay-harness to the version that recorded it, or newer.`);
}

/** Makes this process look like the recorded one. */
function restoreFacts(facts: RunFacts, control: Control | undefined): void {
  restoreEnvironment({ ...facts.env, ...control?.env });
  // A native accessor survives redefinition, not deletion.
  for (const name of ['pid', 'ppid'] as const) delete (process as Partial<NodeJS.Process>)[name];
  for (const name of ['pid', 'ppid'] as const) defineProperty(process, name, { value: facts[name], writable: name === 'ppid', enumerable: true, configurable: true });
  // Programs start Node by it; nothing is started here.
  process.execPath = facts.execPath;
  process.execArgv = [...facts.execArgv];
  process.argv = [...(control?.argv ?? facts.argv)];
  process.title = facts.title;
}

/** The shell of a sandbox passes variables on in an order of its own, and leaves out those with names that are none to it. */
function restoreEnvironment(env: Readonly<Record<string, string>>): void {
  const names = Object.keys(env);
  for (const name of Object.keys(processEnv)) if (!(name in env)) delete processEnv[name];
  if (Object.keys(processEnv).join('\0') !== names.join('\0')) for (const name of Object.keys(processEnv)) delete processEnv[name];
  for (const name of names) if (processEnv[name] !== env[name]) processEnv[name] = env[name];
}

function reportOf(facts: RunFacts, { events, signal }: StoredTape, ending: Ending | SemanticEnding, durationMs: number, because: string | undefined): Report {
  const { verdict, divergence, blocked, steps, changedCode, stoppedAt } = ending;
  return {
    runId: facts.runId, verdict, fidelity: because === undefined ? 'exact' : 'semantic', ...(because !== undefined && { because }), step: divergence?.step ?? null, kind: divergence?.kind ?? null, expected: divergence?.expected ?? null,
    actual: divergence?.actual ?? null, firstDifference: divergence?.firstDifference ?? null, stack: divergence?.stack ?? [], drifts: 'drifts' in ending ? ending.drifts : [], blocked, liveCalls: 0,
    steps, durationMs: Math.round(durationMs), recordedDurationMs: Math.round((events[events.length - 1]?.at ?? 0) / 1000), code: divergence?.code ?? null, signal, changedCode, sandbox: null,
    ...(stoppedAt !== undefined && { stoppedAt }),
  };
}
