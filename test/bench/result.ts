/** Figures and correctness of a row, from its samples. */
import type { Machine } from './machine.ts';
import type { Figure, Row, RowSample, Target } from './rows.ts';
import type { Measured } from './run.ts';
import { type Spread, spread } from './statistics.ts';
import { AGAIN, BARE, HARNESS } from './variants.ts';

export interface Result {
  readonly mode: 'full' | 'quick';
  readonly machine: Machine;
  readonly rows: RowResult[];
  /** The packages measured beside it, with their versions; or why there are none. */
  readonly peers: readonly string[];
}

export interface RowResult {
  readonly id: string;
  readonly title: string;
  readonly rounds: number;
  /** What the agent is told: how many calls, how many bytes. */
  readonly size: Readonly<Record<string, string>>;
  /** Of the machine over the last minute, when the row began and when it ended. */
  readonly load: readonly [number, number];
  readonly figures: FigureResult[];
  readonly correctness: Correctness[];
}

export interface FigureResult {
  readonly name: string;
  readonly unit: string;
  readonly as: Figure['as'];
  readonly target?: Target;
  /** Whether the harness's median meets the target; absent without one. */
  readonly met?: boolean;
  readonly by: readonly { readonly variant: string; readonly value: Spread; readonly compared: Spread; /** The best round of it compared with the best of bare: other processes only ever add. */ readonly best: number }[];
}

export interface Correctness {
  readonly variant: string;
  /** Calls that answered, of those made, when recorded; in the worst round. */
  readonly answered: readonly [ok: number, of: number] | null;
  /** Calls found in what was written. */
  readonly recorded: number | null;
  /** Calls that answered in replay, the server killed; in the worst round. */
  readonly replayed: readonly [ok: number, of: number] | null;
  /** Whether every replay printed what the recorded run printed; null: not replayed. */
  readonly equal: boolean | null;
  /** Pieces of a streamed answer: live, recorded, replayed. */
  readonly pieces: readonly [bare: number, recorded: number, replayed: number | null] | null;
  /** Replayed in the very same pieces, of which there were several when it was recorded. */
  readonly framingKept: boolean | null;
  /** Files with the API key in clear. */
  readonly secretsInClear: number | null;
  /** First thing that went wrong, in the words of the program; or why it was not replayed. */
  readonly fault: string | null;
  readonly noReplay: string | null;
}

export function evaluate(row: Row, measured: readonly Measured[], size: RowResult['size'], load: RowResult['load']): RowResult {
  const correctness = measured.map((each) => ({ ...correctnessOf(each, measured), ...(!row.llm && { recorded: null }) }));
  const complete = new Set(correctness.filter(({ answered, recorded }) => answered !== null && recorded === answered[1]).map(({ variant }) => variant));
  return { id: row.id, title: row.title, size, load, rounds: measured[0]?.record.length ?? 0, figures: row.figures.map((figure) => figureOf(figure, measured, complete)), correctness };
}

/** @param complete the variants that recorded all calls */
function figureOf(figure: Figure, measured: readonly Measured[], complete: ReadonlySet<string>): FigureResult {
  const { name, unit, as, target } = figure;
  const bare = measured.find(({ variant }) => variant.id === BARE)?.record ?? [];
  const by = measured.flatMap(({ variant, ...samples }) => {
    const values = samples[figure.phase].map((sample, round) => figure.of(sample, bare[round] ?? sample));
    if (values.length === 0 || values.some(Number.isNaN)) return [];
    const best = target && 'least' in target ? Math.max : Math.min;
    const bares = bare.map((sample) => figure.of(sample, sample));
    return [{ variant: variant.id, value: spread(values), compared: spread(values.map((value, round) => compare(figure, value, bares[round]))), best: compare(figure, best(...values), best(...bares)) }];
  });
  const ours = by.find(({ variant }) => variant === HARNESS);
  const peers = by.filter(({ variant }) => variant !== HARNESS && complete.has(variant)).map(({ compared }) => compared.median);
  return { name, unit, as, by, ...(target && ours && { target, met: isMet(target, ours.compared.median, peers) }) };
}

function isMet(target: Target, median: number, peers: readonly number[]): boolean {
  if ('below' in target) return peers.every((peer) => median < peer);
  return 'most' in target ? median <= target.most : median >= target.least;
}

function compare(figure: Figure, value: number, bare: number | undefined): number {
  if (figure.as === 'itself' || bare === undefined) return value;
  return figure.as === 'ratio' ? value / bare : value - bare;
}

function correctnessOf({ variant, record, replay, written }: Measured, all: readonly Measured[]): Correctness {
  const recordsItself = ![BARE, AGAIN].includes(variant.id);
  const pieces = record.map(piecesOf);
  const bare = all.find((each) => each.variant.id === BARE)?.record.map(piecesOf).at(-1) ?? [];
  const replayedPieces = replay.map(piecesOf);
  const streamed = bare.length > 0;
  const equal = replay.length === 0 ? null : replay.every((sample, round) => isEqual(variant.id, record[round] as RowSample, sample));
  return {
    variant: variant.id,
    answered: worst(record), recorded: recordsItself && written?.calls !== undefined ? written.calls : null, replayed: worst(replay), equal,
    pieces: streamed ? [bare.length, pieces.at(-1)?.length ?? 0, replayedPieces.at(-1)?.length ?? null] : null,
    framingKept: streamed && replay.length > 0 ? pieces.every((each) => each.length > 1) && replayedPieces.every((each, round) => String(each) === String(pieces[round])) : null,
    secretsInClear: recordsItself ? (written?.secretsInClear ?? null) : null,
    fault: faultOf(record) ?? faultOf(replay), noReplay: variant.noReplay ?? null,
  };
}

function isEqual(variant: string, recorded: RowSample, replayed: RowSample): boolean {
  if (variant === HARNESS) return replayed.report?.verdict === 'identical' && replayed.report.liveCalls === 0 && replayed.stdout === recorded.stdout && replayed.exitCode === recorded.exitCode;
  return replayed.exitCode === recorded.exitCode && outcome(replayed) === outcome(recorded);
}

/** What the program printed, but for its own figures: peers do not replay the clock. */
function outcome({ stdout }: RowSample): string {
  return stdout.split('\n').filter((line) => !line.startsWith('{')).join('\n');
}

function piecesOf(sample: RowSample): number[] {
  return (sample.figures['pieces'] as number[] | undefined) ?? [];
}

function worst(samples: readonly RowSample[]): [number, number] | null {
  const answers = samples.flatMap((sample) => (sample.answers ? [sample.answers] : []));
  const [least] = answers.sort((a, b) => a.ok - b.ok);
  return least ? [least.ok, least.of] : null;
}

function faultOf(samples: readonly RowSample[]): string | null {
  for (const { stdout, stderr, exitCode } of samples) {
    const said = /^first failure: (.*)$/m.exec(stdout)?.[1];
    if (said) return said;
    if (exitCode !== 0) return `exit ${exitCode}: ${stderr.split('\n').find((line) => /error|replay-harness:/i.test(line)) ?? stderr.slice(0, 200)}`;
  }
  return null;
}

/** What must hold for the harness, whatever the figures. */
export function faultsOfHarness({ rows }: Result): string[] {
  return rows.flatMap((row) => row.correctness.filter(({ variant }) => variant === HARNESS).flatMap((it) => [
    it.fault && `${row.id}: ${it.fault}`,
    it.answered && it.answered[0] !== it.answered[1] && `${row.id}: ${it.answered.join(' of ')} calls were answered while it recorded`,
    it.answered && it.recorded !== null && it.recorded !== it.answered[1] && `${row.id}: ${it.recorded} of ${it.answered[1]} calls recorded`,
    it.equal === false && `${row.id}: a replay was not identical`,
    // On a machine that is busy enough a stream may arrive in one piece.
    it.framingKept === false && it.pieces && it.pieces[1] > 1 && `${row.id}: the pieces of a stream changed`,
    (it.secretsInClear ?? 0) > 0 && `${row.id}: the API key lies in clear in ${it.secretsInClear} files`,
  ]).filter((fault) => typeof fault === 'string'));
}
