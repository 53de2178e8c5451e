/** Opens a recording: run folder, keys, journal, session. */
import { RecordSession } from '../src/capture/record-session.ts';
import { sealKey } from '../src/journal/crypto.ts';
import { JournalWriter } from '../src/journal/writer.ts';
import { keysWithoutEffect } from '../src/model/config.ts';
import { ConfigError, HarnessError } from '../src/model/error.ts';
import type { RunFacts } from '../src/model/event.ts';
import type { RunManifest } from '../src/model/run.ts';
import { requireRunId, uuidv7 } from '../src/model/uuid.ts';
import { cwd, nativeCrypto, nativeFs, NativeDate, performanceNow, processEnv } from '../src/runtime/natives.ts';
import { loadConfig, storeLocation } from '../src/store/configuration.ts';
import { EmbeddedStore, pidNamespace, processStart } from '../src/store/embedded.ts';
import { spoolFolder } from '../src/store/ingest/spool.ts';
import { isServer } from '../src/store/location.ts';
import { recipients } from '../src/store/keyring.ts';
import type { Propagate } from '../src/capture/boundaries/children.ts';
import type { Control } from './control.ts';
import { propagation } from './propagate.ts';
import { noteRefusal } from './refusal.ts';
import { defaultAgent, gatherFacts, type Identification } from './facts.ts';
import { lanesOf } from './lane.ts';
import { flushTime, startShipping } from './shipping.ts';

const LOG_LEVELS = ['silent', 'warn', 'debug'];

/** What a recorded process installs. */
export interface Recording {
  readonly session: RecordSession;
  readonly facts: RunFacts;
  /** Puts the harness into children. */
  readonly propagate: Propagate;
}

/** @returns undefined when nothing can be recorded: the agent runs on, and one line says so. @throws ConfigError */
export function record(control: Control | undefined): Recording | undefined {
  const config = loadConfig(processEnv, cwd());
  const level = processEnv['REPLAY_HARNESS_LOG'] ?? 'warn';
  if (!LOG_LEVELS.includes(level)) throw new ConfigError(`REPLAY_HARNESS_LOG is "${level}"; it takes ${LOG_LEVELS.join(', ')}.`);
  const warn = (line: string): void => {
    // What a recorded program's child says is the program's to read.
    if (level !== 'silent' && control?.parent === undefined) nativeFs.writeSync(2, `replay-harness: ${line}\n`);
  };
  if (Object.isFrozen(Math)) {
    noteRefusal(control);
    warn('this run is not recorded: its intrinsics are frozen (--frozen-intrinsics), so that nothing can be captured');
    return undefined;
  }
  const root = control?.run ?? processEnv['REPLAY_HARNESS_RUN'];
  if (root !== undefined) requireRunId(root);
  const idle = keysWithoutEffect(config);
  if (idle.length > 0) warn(`this version does nothing yet with ${idle.join(', ')} of the configuration`);
  const location = storeLocation(control?.store, processEnv, config, cwd());
  // What goes to a server lies in a folder of this host until the server has it.
  const flushMs = flushTime(processEnv['REPLAY_HARNESS_FLUSH_MS']);
  const spool = isServer(location) ? spoolFolder(location, processEnv) : undefined;
  const store = new EmbeddedStore(spool ?? location);
  const notRecorded = (error: unknown): void => {
    noteRefusal(control, error);
    warn(`this run is not recorded. ${(error as Error).message}`);
  };
  const sealTo = control?.recipients ?? recipientsOrWarn(() => recipients(processEnv, config.recipient), notRecorded);
  if (!sealTo) return undefined;

  const taken = root !== undefined && !store.reserve(root);
  const runId = root === undefined || taken ? uuidv7() : root;
  // Under `record` one id stands for all that the command starts. The bare variable may be left over from an earlier run.
  const isSecondRoot = taken && control === undefined && store.hasEnded(root);
  if (isSecondRoot) warn(`REPLAY_HARNESS_RUN: the id ${root} belongs to an earlier run; this one is recorded as ${runId}`);
  const identification: Identification = {
    runId,
    agent: control?.agent ?? processEnv['REPLAY_HARNESS_AGENT'] ?? config.agent ?? defaultAgent(),
    name: control?.name ?? '',
    tags: { ...config.tags, ...control?.tags },
    injected: control !== undefined,
    nativeAddons: Object.keys(config.nativeAddons ?? {}),
  };
  const facts = gatherFacts(identification);
  const manifest: RunManifest = {
    format: 1, id: facts.runId, parentRunId: control?.parent ?? (taken && !isSecondRoot ? root : null), forkedFrom: null, replayOf: null, name: facts.name || null, agent: facts.agent, tags: facts.tags,
    status: 'recording', pid: process.pid, processStart: processStart(process.pid), ...pidNamespace(), startedAt: new NativeDate(facts.startedAt).toISOString(), durationMs: null,
    exitCode: null, signal: null, node: facts.node, platform: facts.platform, uncaptured: [], lost: 0,
  };
  let folder: string;
  try {
    folder = store.create(manifest);
  } catch (error) {
    notRecorded(error);
    return undefined;
  }
  const startedAt = performanceNow();
  const runKey = nativeCrypto.randomBytes(32);
  const keys = sealTo.map((recipient) => sealKey(runKey, recipient));
  const journal = new JournalWriter({
    folder, run: facts.runId, lane: 0, runKey, keys,
    onLost: (reason) => warn(`the recording ${facts.runId} cannot be written any more and ends at its last whole event, the agent goes on: ${reason}`),
  });
  journal.begin(facts);
  journal.flush();
  const shipping = spool === undefined ? undefined : startShipping({ url: location, spool, run: runId, runKey, config }, flushMs);
  const children = { store: location, parent: runId, recipients: sealTo, tags: facts.tags };
  const session = new RecordSession(journal, facts.seed, warn, (exitCode, uncaptured) => {
    try {
      const status = journal.lost > 0 ? 'recording' : 'complete';
      store.write({ ...manifest, status, exitCode, uncaptured, lost: journal.lost, durationMs: Math.round(performanceNow() - startedAt) });
    } catch (error) {
      // One line says what is lost: the journal's own has been said.
      if (journal.lost === 0) warn(`the recording ${facts.runId} is whole, but will be listed as truncated: its manifest could not be written (${(error as Error).message})`);
    }
    const left = shipping?.flush();
    if (left !== undefined) warn(`the recording ${facts.runId} lies in ${store.location} until the next recorded program, or replay-harness ship, brings it to the server: ${left}`);
  }, lanesOf({ folder, run: identification, lane: 0, lanes: new SharedArrayBuffer(4), runKey, keys, ownThreads: shipping ? 1 : 0, children }));
  return { session, facts, propagate: propagation(children) };
}

/** A host without a place for keys, or with a damaged one, stops the recording and not the agent. A malformed key is the user's to mend. */
function recipientsOrWarn(find: () => string[], notRecorded: (error: unknown) => void): string[] | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof HarnessError)) throw error;
    notRecorded(error);
    return undefined;
  }
}
