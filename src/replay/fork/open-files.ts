/**
 * Which recorded file a descriptor of a fork stands for. The runtime gives numbers anew, so a call that names one is answered
 * only from what was recorded between the opening and the closing of that very file.
 */
import type { Kind, LaneEvent } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { jsonParse } from '../../runtime/natives.ts';

/** Numbers of events: of the opening, and of the closing. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const STANDARD = 2;

export class OpenFiles {
  readonly #events: readonly LaneEvent[];
  readonly #spans: Map<number, Span> = new Map();

  /** @param from number of the first event that is not replayed */
  constructor(events: readonly LaneEvent[], from: number) {
    this.#events = events;
    const opened = new Map<number, number>();
    for (const event of events.slice(0, from)) {
      const fd = this.#openedBy(event);
      if (fd !== undefined) opened.set(fd, event.seq);
      const closed = closedBy(event);
      if (closed !== undefined) opened.delete(closed);
    }
    for (const [fd, seq] of opened) this.#spans.set(fd, this.#spanOf(fd, seq));
  }

  /** @returns whether a recorded call may answer this one: of the same file, if it names a descriptor */
  answers(key: string): (recorded: LaneEvent) => boolean {
    const fd = descriptorIn(key);
    if (fd === undefined || fd <= STANDARD) return () => true;
    const span = this.#spans.get(fd);
    return ({ seq }) => span !== undefined && seq > span.from && seq <= span.to;
  }

  /** Calls at a descriptor move on in the file, or end it: none is answered twice. */
  isRepeatable(key: string): boolean {
    const fd = descriptorIn(key);
    return fd === undefined || fd <= STANDARD;
  }

  /** @param answer the recorded event that the call got @returns false: the number is that of another file, which is open */
  took(kind: Kind, key: string, answer: LaneEvent): boolean {
    if (kind !== 'fs' && kind !== 'fs-value') return true;
    const fd = isOpening(key) ? this.#openedBy(answer) : undefined;
    if (fd !== undefined) {
      if (this.#spans.has(fd)) return false;
      this.#spans.set(fd, this.#spanOf(fd, answer.seq));
    }
    const closed = isClosing(key) ? descriptorIn(key) : undefined;
    if (closed !== undefined) this.#spans.delete(closed);
    return true;
  }

  #spanOf(fd: number, from: number): Span {
    const close = this.#events.find((event) => event.seq > from && closedBy(event) === fd);
    return { from, to: close?.seq ?? Infinity };
  }

  #openedBy(event: LaneEvent): number | undefined {
    if (event.type === 'value') return event.kind === 'fs-value' && isOpening(event.key) ? resultOf(event.data) : undefined;
    if (event.type !== 'delivery' || event.kind !== 'completed') return undefined;
    const start = this.#events.find((candidate) => candidate.type === 'start' && candidate.operation === event.operation);
    return start?.type === 'start' && start.kind === 'fs' && isOpening(start.key) ? resultOf(event.data) : undefined;
  }
}

function closedBy(event: LaneEvent): number | undefined {
  return (event.type === 'start' && event.kind === 'fs') || (event.type === 'value' && event.kind === 'fs-value') ? (isClosing(event.key) ? descriptorIn(event.key) : undefined) : undefined;
}

const isOpening = (key: string): boolean => key.startsWith('["open"') || key.startsWith('["openFileHandle"');
const isClosing = (key: string): boolean => key.startsWith('["close"');

function descriptorIn(key: string): number | undefined {
  const [, second] = jsonParse(key) as unknown[];
  return typeof second === 'number' ? second : undefined;
}

function resultOf(data: Buffer): number | undefined {
  const outcome = decodeOutcome(data);
  return 'result' in outcome && typeof outcome.result === 'number' ? outcome.result : undefined;
}
