/** `fork <run> --at N`: the recorded program up to step N, and from there what it does when the world answers otherwise. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { ForkControl } from '../../../loader/control.ts';
import type { Report } from '../../model/divergence.ts';
import { ConfigError, HarnessError } from '../../model/error.ts';
import type { RunFacts } from '../../model/event.ts';
import type { RunManifest } from '../../model/run.ts';
import { uuidv7 } from '../../model/uuid.ts';
import { exitCodeOf, explain } from '../../replay/report.ts';
import type { Step } from '../../steps/step.ts';
import { type RecordedExchange, recordedExchanges } from '../../steps/recorded-exchanges.ts';
import { loadConfig } from '../../store/configuration.ts';
import { EmbeddedStore } from '../../store/embedded.ts';
import { spoolFolder } from '../../store/ingest/spool.ts';
import { identities, recipients } from '../../store/keyring.ts';
import { isServer } from '../../store/location.ts';
import { findSecrets } from '../../store/masking/find-secrets.ts';
import { type Arguments, oneRun, parse } from '../arguments.ts';
import { Credentials } from '../fork/credentials.ts';
import { loadHandlers } from '../fork/handlers.ts';
import { movedOn, movedOnLine } from '../fork/moved-on.ts';
import { namedValues } from '../fork/named-values.ts';
import { changed, parseChange } from '../fork/override.ts';
import { ForkPeer } from '../fork/peer.ts';
import { RecordedConnections } from '../fork/recorded-connections.ts';
import { parseSwap } from '../fork/swap.ts';
import { type Answer, answerOf, withBody } from '../fork/wire.ts';
import { requireRecordedWithin } from '../imported-facts.ts';
import { interpretRun } from '../interpreted.ts';
import { confined } from '../replay/perform.ts';
import { planOf, sandboxMode } from '../replay/plan.ts';
import { readReport, requireWritable, writeReport } from '../replay/report-file.ts';
import { connect, forwardOutput } from '../replay/streams.ts';
import { shipRest } from '../ship-rest.ts';
import { findRun } from '../stores.ts';

interface Values {
  readonly at?: string;
  readonly set?: string[];
  readonly output?: string;
  readonly handlers?: string;
  readonly model?: string;
  readonly swap?: string;
  readonly 'on-refused'?: string;
  readonly live?: string[];
  readonly agent?: string;
  readonly report?: string;
  readonly node?: string;
  readonly sandbox?: string;
}

export async function fork(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const many = { type: 'string', multiple: true } as const;
  const parsed = parse('fork', args, { at: text, set: many, output: text, handlers: text, model: text, swap: text, 'on-refused': text, live: many, agent: text, report: text, node: text, sandbox: text }, { server: true });
  const values = parsed.values as Values;
  const run = await findRun(parsed, oneRun('fork', parsed));
  if (run.manifest.imported) throw new ConfigError(`Run ${run.manifest.id} was imported: what it recorded is replayed, and never started with the world in reach. Fork a run that was recorded here.`);
  requireRecordedWithin(run.manifest, 'fork');
  requireWritable(values.report);
  if (!['stop', 'error', undefined].includes(values['on-refused'])) throw new ConfigError(`--on-refused takes stop or error, not "${values['on-refused']}".`);
  const { events, runKey } = parsed.store.tape(run, identities(process.env));
  const [begin] = events;
  if (begin?.type !== 'begin') throw new ConfigError(`The recording ${run.manifest.id} ended before its first event: there is nothing to fork.`);
  const { steps, lanes } = interpretRun(parsed.store, run, identities(process.env));
  const swap = values.swap === undefined ? undefined : parseSwap(values.swap, steps, events);
  const step = swap ? stepOfSwap(values, swap.at, steps) : stepAt(values.at, run.manifest.id, steps);
  const handlers = values.handlers === undefined ? undefined : await loadHandlers(values.handlers);
  const exchanges = recordedExchanges(events);
  const answer = answerTo(step, exchanges, values);
  const config = loadConfig(process.env, process.cwd());
  const live = [...(values.live ?? []), ...Object.entries(config.tools ?? {}).flatMap(([pattern, effect]) => (effect === 'read-only' ? [pattern] : []))];
  await requireKeepable(parsed);
  const id = uuidv7();
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const plan = planOf(begin.facts, { store: parsed.store.location, runKey, folder, mode: sandboxMode(values.sandbox), node: values.node, env: {}, command: parsed.command, loose: false, match: undefined, user: process.env });
    const { stdio, close } = connect(plan.facts, folder, {});
    const fd = stdio.length;
    const control: ForkControl = { at: swap?.at ?? step.step, swap, survives: values['on-refused'] === 'error', run: id, folder: join(folder, 'journal'), recipients: recipients(process.env, config.recipient), fd };
    mkdirSync(control.folder, { mode: 0o700 });
    const named = namedValues(begin.facts, { steps: [...steps, ...lanes.flatMap((lane) => lane.steps)], events }, process.env);
    const credentials = new Credentials({
      facts: begin.facts, exchanges, env: process.env, secrets: [events, ...lanes.map((lane) => lane.events)].flatMap((own) => findSecrets(own, config.mask)),
      named,
    });
    let peer: ForkPeer | undefined;
    const { exit, kind } = await confined(plan, [...stdio, 'pipe'], { fork: control }, (child) => {
      forwardOutput(child);
      peer = new ForkPeer(child.stdio[fd] as Duplex, { exchanges, at: step.step, answer, live, credentials, handlers, model: values.model, sessions: { recorded: new RecordedConnections(events, control.at), named, env: process.env } });
    });
    close();
    const told = readReport(plan.report, kind);
    const report = told && { ...told, movedOn: movedOn(steps.filter((one) => one.step < control.at), begin.facts, (text) => credentials.shown(text)) };
    if (values.report !== undefined && report) writeReport(values.report, report);
    // What goes to a server lies in a folder of this host first.
    const kept = isServer(parsed.location) ? new EmbeddedStore(spoolFolder(parsed.location, process.env)) : parsed.store;
    const isKept = keep(kept, control.folder, manifestOf(id, begin.facts, run.manifest, { at: step.step, report, exitCode: report?.exitCode ?? exit.code, agent: values.agent, shown: (text) => credentials.shown(text) }));
    if (isServer(parsed.location)) await shipRest(parsed.location, kept);
    return conclude({ id, from: run.manifest.id, where: values.swap === undefined ? `at step ${step.step}` : `with ${values.swap.replace(/^ *(\d+) *, *(\d+) *$/, '$2 before $1')}`, report, code: exit.code, liveCalls: peer?.liveCalls ?? [], handled: peer?.handled ?? [], unusedModel: peer?.otherModels === 0 ? values.model : undefined, isKept, refusal: plan.outside.control.refusal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A fork may ask models for real, and is a run: what could not be kept is not begun. @throws ForbiddenError @throws StoreUnavailableError */
async function requireKeepable({ runs }: Arguments): Promise<void> {
  try {
    await runs.requireWritable();
  } catch (error) {
    if (error instanceof HarnessError) error.message += ' A fork is kept as a run of that store; nothing was started.';
    throw error;
  }
}

function stepAt(at: string | undefined, runId: string, steps: readonly Step[]): Step {
  if (at === undefined) throw new ConfigError('fork needs --at N: the step, of replay-harness show, from which on the program is left to itself.');
  if (!/^\d+$/.test(at)) throw new ConfigError(`--at takes the number of a step, as replay-harness show ${runId.slice(0, 13)} lists them, not "${at}".`);
  const number = Number(at);
  const found = steps.find(({ step }) => step === number);
  if (found) return found;
  const last = steps.at(-1);
  if (last && number > last.step) throw new ConfigError(`--at ${at}: run ${runId} ends before that. Its last step is ${last.step} (${last.kind} ${last.name}).`);
  const near = [steps.findLast(({ step }) => step < number), steps.find(({ step }) => step > number)].flatMap((step) => (step ? [`${step.step} (${step.kind} ${step.name})`] : []));
  throw new ConfigError(`--at ${at}: run ${runId} has no step ${at}. Near it are ${near.join(' and ')}; replay-harness show ${runId.slice(0, 13)} --verbose lists all.`);
}

/** With `--swap` the recording holds until the first of the two would come, wherever `--at` says that the change begins. */
function stepOfSwap({ at, set = [], output }: Values, first: number, steps: readonly Step[]): Step {
  if (set.length > 0 || output !== undefined) throw new ConfigError(`--swap changes an order, and --${output === undefined ? 'set' : 'output'} an answer: make one change, and fork the fork for the other.`);
  if (at !== undefined && !(Number(at) <= first)) throw new ConfigError(`--at ${at}: the first of the two that --swap exchanges comes before that. Leave --at out: the recording holds until then.`);
  return steps.findLast(({ step }) => step <= first) as Step;
}

/** @throws ConfigError */
function answerTo(step: Step, exchanges: readonly RecordedExchange[], { set = [], output }: Values): Answer | undefined {
  if (set.length === 0 && output === undefined) return undefined;
  const response = exchanges.find((exchange) => exchange.step === step.step)?.exchange.response;
  if (!response) throw new ConfigError(`--${set.length > 0 ? 'set' : 'output'}: step ${step.step} is ${step.kind} ${step.name}; only the answer of an HTTP exchange that was answered can be changed. Choose one of replay-harness show.`);
  if (output === undefined) return changed(response, set.map(parseChange), step.step);
  if (set.length > 0) throw new ConfigError('--set and --output both change the answer of step N: give one of them.');
  if (!existsSync(output)) throw new ConfigError(`--output ${output}: there is no such file.`);
  return withBody(answerOf(response), readFileSync(output));
}

interface How {
  /** Number of the step. */
  readonly at: number;
  readonly report: Report | undefined;
  readonly exitCode: number;
  readonly agent: string | undefined;
  /** A text without the recording's secrets. */
  readonly shown: (text: string) => string;
}

function manifestOf(id: string, facts: RunFacts, from: RunManifest, { at, report, exitCode, agent, shown }: How): RunManifest {
  const isWhole = report?.exitCode !== undefined;
  const refused = [...new Set(report?.blocked.map((call) => named(shown(call))))];
  const { format, name, tags, node, platform } = from;
  return {
    format, name, tags, node, platform, id, fork: { at, ...(refused.length > 0 && { refused }) }, parentRunId: null, forkedFrom: facts.runId, replayOf: null, agent: agent ?? facts.agent, status: isWhole ? 'complete' : 'recording', pid: 0, processStart: '',
    startedAt: new Date().toISOString(), durationMs: report?.durationMs ?? null, exitCode: isWhole ? exitCode : null, signal: null, uncaptured: [], lost: 0,
  };
}

/** Characters of a refusal that are kept in the clear. */
const KEPT = 200;

/** A manifest is for everybody to read: what a request or a command is about may be a secret that nobody knows for one. */
function named(call: string): string {
  return call.replace(/(https?:\/\/)(?:[^/\s@]*@)?([^\s?#]*)\S*/g, '$1$2').replace(/^(the child process \S+) .*/s, '$1').slice(0, KEPT);
}

/** @returns whether the program had come to its fork point */
function keep(store: EmbeddedStore, journal: string, manifest: RunManifest): boolean {
  const names = readdirSync(journal);
  if (names.length === 0) return false;
  const folder = store.create(manifest);
  for (const name of names) {
    try {
      renameSync(join(journal, name), join(folder, name));
    } catch {
      // The store may lie on another disk.
      copyFileSync(join(journal, name), join(folder, name));
    }
  }
  return true;
}

interface Outcome {
  readonly id: string;
  readonly from: string;
  /** Of the change, in words. */
  readonly where: string;
  readonly report: Report | undefined;
  readonly code: number;
  readonly liveCalls: readonly string[];
  readonly handled: readonly string[];
  /** A model that no call asked for. */
  readonly unusedModel: string | undefined;
  readonly isKept: boolean;
  readonly refusal: string | undefined;
}

const SHOWN_CALLS = 20;

function listed(how: string, calls: readonly string[]): string {
  return calls.slice(0, SHOWN_CALLS).map((call) => `  ${how}: ${call}\n`).join('') + (calls.length > SHOWN_CALLS ? `  and ${calls.length - SHOWN_CALLS} more\n` : '');
}

function conclude({ id, from, where, report, code, liveCalls, handled, unusedModel, isKept, refusal }: Outcome): number {
  if (!report) {
    if (refusal === undefined || !existsSync(refusal)) process.stderr.write(`replay-harness: the forked process ended (exit ${code}) without a verdict${isKept ? `; what it did is kept as ${id}` : ''}\n`);
    return code === 0 ? 1 : code;
  }
  const calls = listed('live', liveCalls) + listed('handler', handled) + (report.movedOn ? movedOnLine(report.movedOn, liveCalls.length) : '') + (unusedModel === undefined ? '' : `  --model ${unusedModel}: no call to a model went out from there on\n`);
  if (report.verdict === 'blocked' && report.forkedFrom !== undefined) {
    process.stderr.write(`replay-harness: the fork ${id} of ${from} ${report.exitCode === undefined ? 'was stopped' : `went on without what it may not do, to its exit ${report.exitCode}`}: refused ${[...new Set(report.blocked)].join(', ')}\n${calls}${report.blocked.some((call) => /does not leave|was never sent to that host/.test(call) || !/^[A-Z]+ https?:/.test(call)) ? '' : '  next: what has no side effects can be allowed with --live PATTERN, or under tools in replay-harness.json\n'}`);
    return code;
  }
  if (!isKept) {
    if (report.verdict !== 'identical') process.stderr.write(`${explain(report)}\n`);
    process.stderr.write(`replay-harness: the program did not come as far as the change (${where}): nothing was forked\n`);
    return report.verdict === 'identical' ? code : exitCodeOf(report);
  }
  process.stderr.write(`replay-harness: forked ${from} ${where} as ${id}: exit ${code}, ${liveCalls.length} live call${liveCalls.length === 1 ? '' : 's'}\n${calls}`);
  return code;
}
