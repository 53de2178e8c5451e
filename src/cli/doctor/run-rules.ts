/** Rules on a recorded run. Each looks for one thing, and says the way out of it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LaneEvent, RunFacts } from '../../model/event.ts';
import type { RunManifest, RunStatus } from '../../model/run.ts';
import { coverageOf, type Gap } from '../../steps/coverage.ts';
import type { Step } from '../../steps/step.ts';
import type { Interpreted } from '../interpreted.ts';
import { aliasesOf } from '../render/alias-warning.ts';
import { counted } from '../render/text.ts';
import { clockJumps, clockSkew } from './clocks.ts';
import type { Effect, Finding, Rule } from './finding.ts';

/** A run as the rules see it. */
export interface Examined {
  readonly manifest: RunManifest;
  readonly status: RunStatus;
  readonly interpreted: Interpreted;
  /** The Node version that would replay it, as `process.version`. */
  readonly node: string;
  /** Whether the program may have changed since: it was recorded earlier. */
  readonly earlier: boolean;
}

export const RUN_RULES: readonly Rule[] = ['native-addon', 'shared-memory', 'cluster', 'wasi', 'uncaptured', 'lost-events', 'truncated', 'changed-program', 'node-version', 'clock-jump', 'clock-skew', 'model-alias'];

type Found = Omit<Finding, 'run'>;

export function examine(run: Examined): Finding[] {
  const { interpreted, manifest } = run;
  const lanes: readonly { readonly events: readonly LaneEvent[]; readonly steps: readonly Step[] }[] = [interpreted, ...interpreted.lanes];
  const found: Found[] = [
    ...lanes.flatMap(({ events }) => coverageOf(events).uncaptured.map(gap)),
    ...endOf(run),
    ...(run.earlier ? [...changedProgram(lanes.flatMap(({ events }) => events)), ...nodeVersion(run)] : []),
    ...lanes.flatMap(({ events, steps }) => [...clockJumps(events), ...clockSkew(events, steps)]),
    ...aliases(lanes.flatMap(({ steps }) => steps)),
  ];
  return found.map((one) => ({ ...one, run: manifest.id }));
}

const GAPS: readonly (readonly [Rule, RegExp, string])[] = [
  ['native-addon', /^a native addon/, 'if it reaches nothing outside the process, declare it pure under nativeAddons in replay-harness.json, and record again (docs/native-addons.md); else use a package that is JavaScript or WebAssembly'],
  ['shared-memory', /SharedArrayBuffer|Atomics\./, 'what threads write to shared memory is in no recording: give them messages (postMessage) instead, or do the work in one thread'],
  ['cluster', /cluster/, 'record one worker’s program by itself, without node:cluster: each process is a run of its own'],
  ['wasi', /^node:wasi/, 'make instances by new WASI(…) alone, and let a module in a worker thread return (returnOnExit) rather than end the process'],
];

/** Of what was named when it was recorded. */
function gap({ name, stack, effect, step }: Gap): Found {
  const [rule, , wayOut] = GAPS.find(([, pattern]) => pattern.test(name)) ?? ['uncaptured', /./, 'do without it in the part that is to be replayed, or do it in a child process, which is recorded from outside (docs/recording.md)'] as const;
  const effects: Readonly<Record<Gap['effect'], Effect>> = { refused: 'stops', arrived: 'stops', seen: 'differs' };
  return { rule, effect: effects[effect], step, what: `${name} is not captured`, where: stack, wayOut };
}

function endOf({ manifest, status }: Examined): Found[] {
  const found: Found[] = [];
  if (manifest.lost > 0) found.push({ rule: 'lost-events', effect: 'stops', step: null, what: `${counted(manifest.lost, 'event')} could not be written while it was recorded`, where: '', wayOut: 'make room on the disk of the store, or choose another one (--store), and record again' });
  if (status === 'truncated') {
    const refused = manifest.fork?.refused;
    const how = refused ? `it is a fork, which was stopped since it was refused ${refused.join(', ')}` : manifest.signal === null ? 'its process ended without closing it' : `its process was ended by ${manifest.signal}`;
    found.push({ rule: 'truncated', effect: 'stops', step: null, what: `the recording is truncated: ${how}`, where: '', wayOut: 'replay goes to its last event and says so (exit code 7); for a whole run record again, and let the program end by itself or by SIGTERM' });
  }
  if (status === 'recording') found.push({ rule: 'truncated', effect: 'stops', step: null, what: 'the run is still being recorded', where: '', wayOut: 'ask again when it has ended' });
  return found;
}

/** More would hide what matters. */
const NAMED = 5;

function changedProgram(events: readonly LaneEvent[]): Found[] {
  const digests = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.type !== 'value' || event.kind !== 'module') continue;
    const [path] = JSON.parse(event.key) as [string];
    digests.set(path, (digests.get(path) ?? new Set()).add(event.data.toString('hex')));
  }
  const changed = [...digests].filter(([path, known]) => !known.has(digestOf(path) ?? '')).map(([path]) => path);
  if (changed.length === 0) return [];
  const named = changed.slice(0, NAMED).map((path) => (digestOf(path) === undefined ? `${path} (not here any more)` : path)).join(', ');
  const more = changed.length > NAMED ? `, and ${changed.length - NAMED} more` : '';
  return [{ rule: 'changed-program', effect: 'differs', step: null, what: `the program changed since it was recorded: ${named}${more}`, where: '', wayOut: 'check out the code that was recorded; or replay --loose, which lists what the change makes different; or record again (verify --update)' }];
}

function digestOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}

function nodeVersion({ interpreted: { events: [begin] }, manifest, node }: Examined): Found[] {
  if (manifest.node === node) return [];
  const binary = begin?.type === 'begin' ? (begin.facts satisfies RunFacts).execPath : 'the recorded binary';
  return [{ rule: 'node-version', effect: 'differs', step: null, what: `it was recorded on Node ${manifest.node}, and this is ${node}`, where: '', wayOut: `byte for byte it replays on ${manifest.node} alone: replay takes ${binary} while that is there, or --node PATH; this version replays it by meaning, and recording again moves it here` }];
}

function aliases(steps: readonly Step[]): Found[] {
  return aliasesOf(steps).map((model) => ({
    rule: 'model-alias', effect: 'live', step: steps.find(({ envelope, error }) => envelope?.model === model && envelope.snapshot === null && !error)?.step ?? null,
    what: `the model "${model}" is an alias: its answers name no dated snapshot`, where: '', wayOut: 'replay is not touched; ask for a dated snapshot of the model, so that live calls (fork, a new recording) reach the same one',
  }));
}
