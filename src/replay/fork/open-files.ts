/**
 * Which recorded file a descriptor of a fork stands for. The runtime gives numbers anew, so a call that names one is answered
 * only from what was recorded between the opening and the closing of that very file.
 */
import { WRITE_FLAGS } from '../../capture/boundaries/fs-changes.ts';
import type { Kind, LaneEvent } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { jsonParse } from '../../runtime/natives.ts';

/** Numbers of events: of the opening, and of the closing. */
interface Span {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const STANDARD = 2;
/** Calls of the binding, and jobs, that change the file system. */
const CHANGES: ReadonlySet<unknown> = new Set([
  'writeFileUtf8', 'writeFile', 'writeBuffer', 'writeBuffers', 'writeString', 'mkdir', 'mkdtemp', 'unlink', 'rmdir', 'rmSync', 'rename', 'copyFile', 'cpSyncOverrideFile', 'cpSyncCopyDir', 'CpDirJob',
  'link', 'symlink', 'chmod', 'lchmod', 'chown', 'lchown', 'utimes', 'lutimes',
]);

export class OpenFiles {
  readonly #events: readonly LaneEvent[];
  readonly #spans: Map<number, Span> = new Map();

  /** @param from number of the first event that is not replayed */
  constructor(events: readonly LaneEvent[], from: number) {
    this.#events = events;
    for (const event of events.slice(0, from)) {
      const opened = this.#openedBy(event);
      if (opened) this.#spans.set(opened.fd, this.#spanOf(opened.fd, opened.key, event.seq));
      const closed = closedBy(event);
      if (closed !== undefined) this.#spans.delete(closed);
    }
  }

  /** @returns whether a recorded call may answer this one: of the same file, if it names a descriptor */
  answers(key: string): (recorded: LaneEvent) => boolean {
    const fd = descriptorIn(key);
    if (fd === undefined || fd <= STANDARD) return () => true;
    const span = this.#spans.get(fd);
    return ({ seq }) => span !== undefined && seq > span.from && seq <= span.to;
  }

  pathOf(fd: number): string | undefined {
    return this.#spans.get(fd)?.path;
  }

  /** Calls at a descriptor move on in the file, or end it, and others change what there is: none is answered twice. */
  isRepeatable(key: string): boolean {
    const [name, fd, flags, recursive] = jsonParse(key) as unknown[];
    if (isOpening(key)) return ((flags as number) & WRITE_FLAGS) === 0;
    if (name === 'mkdir' && recursive === true) return true;
    return !CHANGES.has(name) && (typeof fd !== 'number' || fd <= STANDARD);
  }

  /** @param answer the recorded event that the call got @returns false: the number is that of another file, which is open */
  took(kind: Kind, key: string, answer: LaneEvent): boolean {
    if (kind !== 'fs' && kind !== 'fs-value') return true;
    const opened = isOpening(key) ? this.#openedBy(answer) : undefined;
    if (opened) {
      if (this.#spans.has(opened.fd)) return false;
      this.#spans.set(opened.fd, this.#spanOf(opened.fd, key, answer.seq));
    }
    const closed = isClosing(key) ? descriptorIn(key) : undefined;
    if (closed !== undefined) this.#spans.delete(closed);
    return true;
  }

  #spanOf(fd: number, key: string, from: number): Span {
    const close = this.#events.find((event) => event.seq > from && closedBy(event) === fd);
    return { path: String((jsonParse(key) as unknown[])[1]), from, to: close?.seq ?? Infinity };
  }

  #openedBy(event: LaneEvent): { readonly fd: number; readonly key: string } | undefined {
    if (event.type === 'value') return event.kind === 'fs-value' && isOpening(event.key) ? openedOf(event.key, event.data) : undefined;
    if (event.type !== 'delivery' || event.kind !== 'completed') return undefined;
    const start = this.#events.find((candidate) => candidate.type === 'start' && candidate.operation === event.operation);
    return start?.type === 'start' && start.kind === 'fs' && isOpening(start.key) ? openedOf(start.key, event.data) : undefined;
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

function openedOf(key: string, data: Buffer): { readonly fd: number; readonly key: string } | undefined {
  const outcome = decodeOutcome(data);
  return 'result' in outcome && typeof outcome.result === 'number' ? { fd: outcome.result, key } : undefined;
}
