/** The rows of a run's steps, in order. The same run gives the same rows, whoever makes them and how often. */
import { type AgentVector, AgentVectors } from '../../analysis/agent-vectors.ts';
import { type EmbeddedText, SearchableSteps } from '../../analysis/searchable.ts';
import { asList, asObject, isObject } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';
import { chainOf, type ChainedStep, readingDigest } from '../sql/chain.ts';
import type { Blob } from './blob-codec.ts';
import { type Elided, Elider, type Member } from './elide.ts';
import { escapeText } from './jsonb-text.ts';
import { type Manifest, ManifestWriter } from './manifests.ts';
import { movedText } from './packs.ts';
import { type RandomOf, type ReadRun, stepsOf } from './read-run.ts';

/** Of how readings are made: a better one adds rows and changes none. */
export const INTERPRETER = 1;

export interface Reading {
  readonly summary: string;
  /** JSON for JSONB, each. */
  readonly input: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly envelope: string | null;
  /** Lists of `context_manifests`: where each stands, and which it is (packs.ts). */
  readonly moved: readonly string[];
}

export interface StepRow {
  /** Columns of `steps`, but for the chain. */
  readonly step: ChainedStep;
  readonly chain: Buffer;
  readonly reading: Reading;
  /** Blobs that the run did not have before; `role`: what they are of the step. */
  readonly blobs: readonly { readonly role: string; readonly blob: Blob }[];
  readonly manifest: Manifest | undefined;
  /** Messages that the run did not have before, and that are packed. */
  readonly long: readonly Member[];
  /** What is searched in: the words of the step. */
  readonly text: string;
  /** undefined: the step has no vector. */
  readonly embedded: EmbeddedText | undefined;
  /** Vectors that the agent itself got or sent. */
  readonly agentVectors: readonly AgentVector[];
  /** As it was interpreted, and masked. */
  readonly source: Step;
}

/** Masks the steps of one lane, all in one go: a secret may be cut between two of them. */
export type MaskSteps = (steps: readonly Step[]) => readonly Step[];

/** Where the list of a conversation's messages stands. */
export const MESSAGES = 'input.messages';

export interface RowOptions {
  /** Hashes of the bytes of clocks and random values, too, as stores had before version 9. */
  readonly hashedValues?: boolean;
}

export function* rowsOf(run: ReadRun, random: RandomOf, mask: MaskSteps, { hashedValues = false }: RowOptions = {}): Generator<StepRow> {
  const handedOut = new Set<string>();
  const packed = new Set<string>();
  const vectors = new AgentVectors();
  for (const { lane, steps } of stepsOf(run.lanes, random)) yield* new LaneRows(run.manifest.id, lane, new Elider(handedOut, packed), vectors, hashedValues).rows(withoutGuesses(steps, mask(steps)));
}

/** Of the exact bytes of a step that holds a secret there is no hash: what is masked could be guessed, and the guess be checked against it. */
function withoutGuesses(steps: readonly Step[], masked: readonly Step[]): readonly Step[] {
  return masked.map((step, index) => {
    if (step === steps[index]) return step;
    const { digests: _digests, ...rest } = step;
    return rest;
  });
}

class LaneRows {
  readonly #run: string;
  readonly #lane: number;
  readonly #elider: Elider;
  readonly #manifests = new ManifestWriter();
  readonly #vectors: AgentVectors;
  readonly #hashedValues: boolean;
  readonly #searchable = new SearchableSteps();
  #chain: Buffer | undefined;

  constructor(run: string, lane: number, elider: Elider, vectors: AgentVectors, hashedValues: boolean) {
    this.#hashedValues = hashedValues;
    this.#run = run;
    this.#lane = lane;
    this.#vectors = vectors;
    this.#elider = elider;
  }

  *rows(steps: readonly Step[]): Generator<StepRow> {
    for (const step of steps) yield this.#row(step);
  }

  #row(source: Step): StepRow {
    const messages = messagesOf(source);
    const list = messages && this.#elider.members(messages);
    const manifest = list && this.#manifests.add(source.step, list.hashes);
    const parts = { input: messages ? withoutMessages(source.input) : source.input, output: source.output, error: source.error, envelope: envelopeOf(source) };
    const [input, output, error, envelope] = [parts.input, parts.output, parts.error, parts.envelope].map((part) => this.#elider.elide(part, source.kind === 'llm')) as [Elided, Elided, Elided, Elided];
    const reading: Reading = { summary: escapeText(source.summary), input: input.text, output: output.text, error: error.text, envelope: envelope.text, moved: manifest ? [movedText(MESSAGES, manifest)] : [] };
    const step = this.#stepOf(source, reading, list?.hashes);
    this.#chain = chainOf(step, this.#chain);
    const news = manifest ? (messages as readonly unknown[]).slice(manifest.kept) : [];
    const { words, embedded } = this.#searchable.of(source, news);
    return {
      step, reading, manifest, source, embedded,
      long: list?.long ?? [],
      chain: this.#chain,
      blobs: [...(list ? named(MESSAGES, list.blobs) : []), ...named('input', input.blobs), ...named('output', output.blobs), ...named('error', error.blobs), ...named('envelope', envelope.blobs)],
      text: words,
      agentVectors: this.#vectors.of(source),
    };
  }

  #stepOf(source: Step, reading: Reading, messages: readonly string[] | undefined): ChainedStep {
    // Of clocks and random values the reading has every bit.
    const digests = !this.#hashedValues && (source.kind === 'time' || source.kind === 'random') ? undefined : source.digests;
    const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
    return {
      run_id: this.#run, lane: this.#lane, step: source.step, kind: source.kind, boundary: source.boundary, name: escapeText(source.name), agent_id: escapeText(source.agentId), lamport: source.lamport,
      causal_parent: source.causalParent, after: source.after, key: hex(source.key), input_hash: digests ? hex(digests.input) : null, output_hash: digests ? hex(digests.output) : null,
      checksum: hex(source.checksum), started_at: source.startedAt, latency_ms: source.latencyMs, ended: source.ended,
      reading_digest: readingDigest({ summary: reading.summary, input: parsed(reading.input), output: parsed(reading.output), error: parsed(reading.error), envelope: parsed(reading.envelope), moved: messages ? [[MESSAGES, messages]] : [] }),
    };
  }
}

function hex(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

function named(role: string, blobs: readonly Blob[]): { role: string; blob: Blob }[] {
  return blobs.map((blob) => ({ role, blob }));
}

function messagesOf({ kind, input }: Step): readonly unknown[] | undefined {
  const messages = asObject(input)['messages'];
  return kind === 'llm' && Array.isArray(messages) && messages.length > 0 ? (messages as readonly unknown[]) : undefined;
}

/** The provider's own form of what is there already: the tape has it to the byte. */
function withoutMessages(input: unknown): unknown {
  const { raw, ...rest } = asObject(input);
  const shown = { ...rest, messages: null };
  if (!isObject(raw)) return raw === undefined ? shown : { ...shown, raw };
  return { ...shown, raw: Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, CONVERSATION.has(name) && asList(value).every(isObject) && Array.isArray(value) ? { omitted: value.length } : value])) };
}

const CONVERSATION: ReadonlySet<string> = new Set(['messages', 'contents', 'input', 'system', 'tools', 'functions']);

/** What else is known of a step, beside its envelope. */
function envelopeOf({ envelope, toolCalls, sentBy }: Step): unknown {
  if (!envelope && !toolCalls && !sentBy) return null;
  return { ...envelope, ...(toolCalls && { toolCalls }), ...(sentBy && { sentBy }) };
}
