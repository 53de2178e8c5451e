/** What is said on a connection in a protocol of questions and answers that is not HTTP. */
import type { StepError, StepKind } from './step.ts';

/** A question with its answer, or a message that nobody asked for. */
export interface Said {
  /** Events that carried it; the first opened it. */
  readonly seqs: ReadonlySet<number>;
  readonly startedAt: number;
  /** null: it never ended. */
  readonly endedAt: number | null;
  readonly kind: Extract<StepKind, 'tool' | 'message' | 'state'>;
  readonly name: string;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: StepError | null;
  /** What was asked, for the key. */
  readonly asked: string;
}

/** One connection. Feed it events in order; ask what was said at any time. */
export interface Connection {
  write(seq: number, at: number, bytes: Buffer): void;
  read(seq: number, at: number, bytes: Buffer): void;
  /** `eof` by the server, `closed` by the program, or an error's code. */
  end(at: number, how: string): void;
  said(): Said[];
}

/** Events that carry a question and its answer, collected before it is known whose they are. */
export class Carrier {
  readonly seqs: Set<number> = new Set();
  startedAt = -1;

  add(seqs: readonly number[], at: number): void {
    if (this.startedAt < 0) this.startedAt = at;
    for (const seq of seqs) this.seqs.add(seq);
  }
}

/** @param how it ended, as {@link Connection.end} is told; undefined: the recording did */
export function endingOf(how: string | undefined, answered: boolean): StepError {
  const arrived = answered ? 'in the middle of the answer' : 'before an answer';
  if (how === undefined) return { code: 'UNANSWERED', message: `the recording ends ${arrived}` };
  if (how === 'eof') return { code: 'TRUNCATED', message: `the server closed the connection ${arrived}` };
  if (how === 'closed') return { code: 'ABORTED', message: `the program closed the connection ${arrived}` };
  return { code: how, message: `the connection failed ${arrived}` };
}

/** @returns the text on one line of at most about `limit` characters. */
export function shortly(text: string, limit: number): string {
  const line = text.slice(0, limit * 4).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
