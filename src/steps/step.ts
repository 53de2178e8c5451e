/** A step: what people, scripts and the store see of a run (`show --json`). */
export type StepKind = 'llm' | 'tool' | 'time' | 'random' | 'message' | 'state';

/** How it was captured. */
export type Boundary =
  | 'http' | 'http2' | 'server' | 'websocket' | 'socket' | 'worker' | 'fs' | 'child_process' | 'sqlite' | 'dns' | 'timer' | 'clock' | 'random' | 'crypto'
  | 'stdin' | 'stdout' | 'stderr' | 'env' | 'signal' | 'exit' | 'uncaptured';

export interface StepError {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

export interface Envelope {
  readonly provider: string;
  readonly model: string | null;
  /** The pinned model that answered; null where only an alias is known. */
  readonly snapshot: string | null;
  readonly params: { readonly temperature: unknown; readonly top_p: unknown; readonly max_tokens: unknown; readonly seed: unknown };
  /** SHA-256 of the canonical messages. */
  readonly contextHash: string;
  readonly promptTemplate: null;
  /** Text or tool calls, on one line. */
  readonly decision: string | null;
  readonly usage: Usage | null;
}

/**
 * `cause`: the answer with the call, and no other, led to the work; `arguments`: of several calls only this one's arguments
 * are in what was asked; `time`: no other call was open, and nothing else led to it.
 */
export type ServedByBasis = 'cause' | 'arguments' | 'time';

/** A call that a model asked for, and what the program told the model about it. */
export interface ModelToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly args: unknown;
  /** What the model was told; null where it was told nothing, or of an error. */
  readonly result: unknown;
  readonly error: StepError | null;
  /** The model step that was told; null: none was. */
  readonly answeredAt: number | null;
  /** Steps in between that did the work. */
  readonly servedBy: readonly number[];
  /** How that is known, of several the weakest; null where nothing served it. */
  readonly servedByBasis: ServedByBasis | null;
}

export interface Step {
  /** Sequence number of the event that opened it. */
  readonly step: number;
  readonly kind: StepKind;
  readonly boundary: Boundary;
  readonly name: string;
  readonly summary: string;
  readonly agentId: string;
  readonly lamport: number;
  /** Sequence number of the delivery in whose macrotask it was opened; 0: the program's first turn. */
  readonly causalParent: number;
  /** The step whose answer, arrival or firing led to this one; null: the program's first turn. */
  readonly after: number | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: StepError | null;
  /** SHA-256 of what was asked. */
  readonly key: string;
  /** SHA-256 over the step's events and the checksum of the step before. */
  readonly checksum: string;
  readonly startedAt: string;
  readonly latencyMs: number | null;
  /** Sequence number of the event that ended it; null: it never ended. */
  readonly ended: number | null;
  readonly envelope: Envelope | null;
  /** Of a message from another lane: the step of that lane that sent it. */
  readonly sentBy?: { readonly lane: number; readonly step: number };
  /** Of an `llm` step only. */
  readonly toolCalls?: readonly ModelToolCall[];
  /** SHA-256 of the exact bytes, hex; only where they were asked for. */
  readonly digests?: { readonly input: string; readonly output: string };
}

/** @returns how many model calls and other outside effects a run has. */
export function countCalls(steps: readonly Step[]): { llmCalls: number; toolCalls: number } {
  const count = (kind: StepKind): number => steps.filter((step) => step.kind === kind).length;
  return { llmCalls: count('llm'), toolCalls: count('tool') };
}
