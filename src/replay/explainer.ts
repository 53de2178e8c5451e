/** Says where a replay left its recording: what was due, what the program did instead, and where. */
import type { Divergence, FirstDifference } from '../model/divergence.ts';
import type { LaneEvent } from '../model/event.ts';
import { bufferConcat } from '../runtime/natives.ts';
import { agentFrames } from '../runtime/stack.ts';
import { unfinishedRequest } from '../steps/http1.ts';
import { describe, firstDifference } from '../steps/request-diff.ts';
import { messageDifference } from '../steps/shown-message.ts';
import type { AsyncTrace } from './async-trace.ts';
import { describeEvent, describeFileWrite, kindOf } from './describe.ts';
import type { Finding } from './probe.ts';
import type { Output, Tape } from './tape.ts';

/** What is written to, where it is no socket, by the kind of operation. */
const CARRIERS: Readonly<Record<string, string>> = { 'child-pipe': 'child process write', process: 'child process write', ipc: 'message to the parent process' };
const STREAMS = ['stdin', 'stdout', 'stderr'];

/** What the program did where `due` was recorded. */
export interface Instead {
  readonly actual: string;
  /** Default: what was due. */
  readonly kind?: string;
  readonly expected?: string;
  readonly difference?: FirstDifference | null;
}

export class Explainer {
  readonly #tape: Tape;
  readonly #streams: ReadonlyMap<number, number>;
  readonly #trace: AsyncTrace | undefined;

  /** @param streams descriptors of standard streams, by operation */
  constructor(tape: Tape, streams: ReadonlyMap<number, number>, trace: AsyncTrace | undefined) {
    this.#tape = tape;
    this.#streams = streams;
    this.#trace = trace;
  }

  divergence(code: Divergence['code'], due: LaneEvent, { actual, kind, expected, difference }: Instead): Divergence {
    return {
      code,
      step: due.seq,
      kind: kind ?? this.kindOf(due),
      expected: this.#withConsequence(due, expected ?? this.describe(due)),
      actual,
      firstDifference: difference ?? null,
      stack: this.frames(),
    };
  }

  /** Other bytes than recorded went to the same place. */
  output(due: Output, asked: Output): Divergence {
    if (due.kind === 'file-write') return this.#fileWrite(due, asked);
    if (due.kind === 'posted') return this.divergence('REPLAY_MISMATCH', due, { actual: this.describe(asked), difference: messageDifference(due.data, asked.data) });
    const stream = this.streamOf(due.operation);
    if (stream) return this.divergence('REPLAY_MISMATCH', due, { actual: this.describe(asked), difference: { ...firstDifference(due.data, asked.data), field: stream } });
    // A body comes in writes of its own, and what matters is the request that it belongs to.
    const begun = unfinishedRequest(this.#tape.writesBefore(due));
    const recorded = bufferConcat([begun, ...this.#tape.requestFrom(due)]);
    const now = bufferConcat([begun, asked.data]);
    return this.divergence('REPLAY_MISMATCH', due, { expected: describe(recorded), actual: describe(now), difference: firstDifference(recorded, now) });
  }

  #fileWrite(due: Output, asked: Output): Divergence {
    const path = this.#tape.pathWrittenTo(due);
    return this.divergence('REPLAY_MISMATCH', due, {
      expected: describeFileWrite(due.data, path), actual: describeFileWrite(asked.data, path), difference: { ...firstDifference(due.data, asked.data), field: 'content' },
    });
  }

  /** Adds what a probe found the program to be after. */
  withFinding(divergence: Divergence, asked: string, found: Finding | undefined, frames: readonly string[]): Divergence {
    // A request that the recording does not have next is what the program was after; anything else only locates it.
    const isNewCall = found?.kind === 'http request' && !divergence.expected.includes(found.described);
    const actual = !found || found.described === divergence.actual ? divergence.actual : isNewCall ? found.described : `${divergence.actual}, on the way to ${found.described}`;
    return {
      ...divergence,
      kind: isNewCall ? found.kind : asked,
      actual,
      stack: divergence.stack.length > 0 ? divergence.stack : frames,
      firstDifference: divergence.firstDifference ?? { field: 'call', expected: divergence.expected, actual },
    };
  }

  describe(event: LaneEvent): string {
    return describeEvent(event, this.streamOf);
  }

  kindOf(event: LaneEvent): string {
    const carrier = event.type === 'output' && event.kind === 'write' ? CARRIERS[this.#tape.startOf(event.operation)?.kind ?? ''] : undefined;
    return carrier ?? kindOf(event, this.streamOf);
  }

  /** The agent's own frames; those of what started this work, where none is on the stack. */
  frames(): readonly string[] {
    const frames = agentFrames();
    return frames.length > 0 ? frames : (this.#trace?.frames() ?? []);
  }

  readonly streamOf = (operation: number): string | undefined => {
    const fd = this.#streams.get(operation);
    return fd === undefined ? undefined : STREAMS[fd];
  };

  /** A low-level event says little: name the request or line that followed it in the recorded run. */
  #withConsequence(event: LaneEvent, described: string): string {
    const write = event.type === 'output' ? undefined : this.#tape.nextWrite(event);
    return write ? `${described}, on the way to ${this.describe(write)} (step ${write.seq})` : described;
  }
}
