/** Operations that the program has started: each stands for the recorded one that was the same. */
import type { Deliver } from '../../capture/session.ts';
import type { Kind, OutputEvent } from '../../model/event.ts';
import { AsyncResource, bufferAlloc, bufferConcat } from '../../runtime/natives.ts';
import type { Recording, RecordedStart, Turn } from './recording.ts';

export interface Pending {
  readonly kind: Kind;
  readonly deliver: Deliver;
  /** The program's asynchronous context when it started the operation. */
  readonly scope: InstanceType<typeof AsyncResource>;
  /** Done again for real: cannot be delivered before its own outcome is there. */
  readonly isOrdered: boolean;
  /** The program wrote something else to it: what was answered then is no answer to that. */
  isBroken: boolean;
}

/** Bytes of one operation as they were recorded, and how many of them the program has written. */
interface Written {
  readonly outputs: readonly OutputEvent[];
  readonly bytes: Buffer;
  position: number;
}

export class Operations {
  readonly pending: Map<number, Pending> = new Map();
  /** Outcomes of work that was done again. */
  readonly outcomes: Map<number, () => void> = new Map();
  readonly #recording: Recording;
  readonly #written: Map<number, Written> = new Map();
  #fresh: number;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#fresh = recording.events.reduce((most, event) => (event.type === 'start' && event.operation > most ? event.operation : most), 0);
  }

  /** @returns an id that no recorded operation has */
  fresh(): number {
    return ++this.#fresh;
  }

  add(operation: number, kind: Kind, deliver: Deliver, isOrdered: boolean): void {
    this.pending.set(operation, { kind, deliver, isOrdered, isBroken: false, scope: new AsyncResource('RECORDED') });
  }

  isReady({ event: { operation }, sentBefore }: Turn): boolean {
    const pending = this.pending.get(operation);
    if (!pending || pending.isBroken) return false;
    if (pending.isOrdered) return this.outcomes.has(operation);
    return (this.#written.get(operation)?.position ?? 0) >= sentBefore;
  }

  /** Only failed connections to this place were recorded. @returns how the next one failed */
  failure(kind: string, key: string, of: (start: RecordedStart) => Turn | undefined): Turn | undefined {
    const left = this.#recording.starts.left(kind, key);
    return left.length > 0 && left.every((start) => of(start) !== undefined) ? of(left[0] as RecordedStart) : undefined;
  }

  /** What is written to an operation is held against what was written to these, one after the other; it counts for them, too. */
  join(operation: number, recorded: readonly number[]): void {
    const known = recorded.map((one) => this.#written.get(one)).find((written) => written !== undefined);
    const written = known ?? this.#recordedOf(recorded);
    for (const one of [operation, ...recorded]) this.#written.set(one, written);
  }

  /** What is written to these is held against nothing. */
  unheld(operations: readonly number[]): void {
    for (const operation of operations) this.#written.set(operation, { outputs: [], bytes: NOTHING, position: Infinity });
  }

  /** Holds bytes against those that went the same way. @returns the recorded output that differs, or `more` */
  wrote(operation: number, bytes: Uint8Array): { readonly due: OutputEvent } | { readonly more: true } | undefined {
    let written = this.#written.get(operation);
    if (!written) this.#written.set(operation, (written = this.#recordedOf([operation])));
    const { position, outputs } = written;
    if (position === Infinity) return undefined;
    written.position += bytes.length;
    const recorded = written.bytes.subarray(position, position + bytes.length);
    if (recorded.length === bytes.length && recorded.compare(bytes) === 0) return undefined;
    const due = outputAt(outputs, position);
    return due ? { due } : { more: true };
  }

  #recordedOf(operations: readonly number[]): Written {
    const outputs = operations.flatMap((operation) => this.#recording.outputs.get(operation) ?? []);
    return { outputs, bytes: bufferConcat(outputs.map(({ data }) => data)), position: 0 };
  }

  /** Outputs that the program has not made, of operations whose bytes are held against the recording. */
  unwritten(isCompared: (operation: number) => boolean): OutputEvent[] {
    return [...this.#recording.outputs].flatMap(([operation, outputs]) => {
      if (!isCompared(operation)) return [];
      const due = outputAt(outputs, this.#written.get(operation)?.position ?? 0);
      return due && due.data.length > 0 ? [due] : [];
    });
  }
}

function outputAt(outputs: readonly OutputEvent[], position: number): OutputEvent | undefined {
  let end = 0;
  return outputs.find(({ data }) => (end += data.length) > position);
}

export const NOTHING: Buffer = bufferAlloc(0);
