/** `record --proxy`: a program that is not Node, seen from outside. What it says over HTTP goes through a port of ours, and is recorded. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { randomBytes } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { sealKey } from '../../journal/crypto.ts';
import { JournalWriter } from '../../journal/writer.ts';
import { HarnessError } from '../../model/error.ts';
import { type RunFacts, SURFACE } from '../../model/event.ts';
import type { RunManifest } from '../../model/run.ts';
import { openAuthority, trustedBefore } from '../../proxy/authority.ts';
import { proxiedEnvironment } from '../../proxy/environment.ts';
import { type Front, HOST, openFront } from '../../proxy/front.ts';
import { Relay } from '../../proxy/record/relay.ts';
import { ProxyTape } from '../../proxy/record/tape.ts';
import { loadConfig } from '../../store/configuration.ts';
import { type EmbeddedStore, pidNamespace, processStart } from '../../store/embedded.ts';
import { keyFolder, recipients } from '../../store/keyring.ts';
import { ended, type Exit, startProgram } from '../harnessed.ts';

/** What nobody sees of a program from outside. */
export const NOT_SEEN = 'everything but its HTTP traffic (other sockets, files, clock, random numbers, child processes, output)';

export interface Proxied {
  readonly store: EmbeddedStore;
  readonly run: string;
  readonly port: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly name: string | undefined;
  readonly agent: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** For the time of the run. */
  readonly folder: string;
}

const warn = (line: string): void => {
  if (process.env['REPLAY_HARNESS_LOG'] !== 'silent') process.stderr.write(`replay-harness: ${line}\n`);
};

/** @returns the exit code */
export async function recordThroughProxy(wanted: Proxied): Promise<number> {
  const { store, run, port, folder, command, args } = wanted;
  const config = loadConfig(process.env, process.cwd());
  const authority = openAuthority(keyFolder(process.env));
  const sealTo = recipients(process.env, config.recipient);
  const facts = factsOf(wanted, { ...config.tags, ...wanted.tags }, config.agent);
  const manifest: RunManifest = {
    format: 1, id: run, parentRunId: null, forkedFrom: null, replayOf: null, name: facts.name || null, agent: facts.agent, tags: facts.tags, status: 'recording', pid: process.pid, processStart: processStart(process.pid), ...pidNamespace(),
    startedAt: new Date(facts.startedAt).toISOString(), durationMs: null, exitCode: null, signal: null, node: facts.node, platform: facts.platform, uncaptured: [NOT_SEEN], lost: 0, captured: 'proxy',
  };
  const place = placeFor(store, manifest);
  if (place === undefined) return (await ended(startProgram({ command, args, cwd: process.cwd(), env: process.env, stdio: 'inherit' }))).code;
  const runKey = randomBytes(32);
  const journal = new JournalWriter({ folder: place, run, lane: 0, runKey, keys: sealTo.map((recipient) => sealKey(runKey, recipient)), onLost: (reason) => warn(`the recording ${run} cannot be written any more and ends at its last whole event, the program goes on: ${reason}`) });
  journal.begin(facts);
  const tape = new ProxyTape(journal);
  tape.note(NOT_SEEN);
  const trusted = createSecureContext({ ca: trustedBefore(process.env) });
  const uncaptured = new Set<string>([NOT_SEEN]);
  const relay: Relay = new Relay(() => ({ tape, trusted, own: { host: HOST, port: front.port }, unseen: (name) => uncaptured.add(name) }), warn);
  const front: Front = await openFront(port, authority, relay, relay.raw).catch((error: unknown) => {
    store.discard(run);
    throw error;
  });
  let exit: Exit;
  try {
    exit = await ended(startProgram({ command, args, cwd: process.cwd(), env: proxiedEnvironment(process.env, { url: front.url, authority, folder }), stdio: 'inherit' }));
  } catch (error) {
    // It was never started.
    store.discard(run);
    throw error;
  } finally {
    front.close();
  }
  tape.exit(exit.code);
  store.write({ ...manifest, status: journal.lost > 0 ? 'recording' : 'complete', exitCode: exit.signal === null ? exit.code : null, signal: exit.signal, uncaptured: [...uncaptured], lost: journal.lost, durationMs: Date.now() - facts.startedAt });
  process.stderr.write(`replay-harness: recorded ${run} through the proxy (${journal.lost > 0 ? 'truncated' : 'complete'}, ${exit.signal === null ? `exit ${exit.code}` : `ended by ${exit.signal}`}); not captured: ${[...uncaptured].join(', ')}. To replay: replay-harness serve ${run.slice(0, 13)} -- CMD\n`);
  return exit.code;
}

/** A store that cannot be written stops the recording and not the program. */
function placeFor(store: EmbeddedStore, manifest: RunManifest): string | undefined {
  try {
    return store.create(manifest);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    warn(`this run is not recorded. ${error.message}`);
    return undefined;
  }
}

function factsOf({ run, command, args, name, agent }: Proxied, tags: RunFacts['tags'], configured: string | undefined): RunFacts {
  const script = args.find((word) => !word.startsWith('-') && existsSync(word));
  return {
    runId: run, lane: 0, agent: agent ?? process.env['REPLAY_HARNESS_AGENT'] ?? configured ?? basename(script ?? command), name: name ?? '', tags,
    startedAt: Date.now(), node: process.version, platform: process.platform, arch: process.arch, execPath: command, execArgv: [], argv: [command, ...args], argv0: command, title: basename(command), cwd: process.cwd(),
    env: { ...process.env } as Record<string, string>, pid: process.pid, ppid: process.ppid, stdio: ['none', 'none', 'none'], ttySize: {}, injected: false, surface: SURFACE, seed: randomBytes(16).toString('hex'),
  };
}
