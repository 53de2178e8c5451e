/** File operations: everything that happens on one descriptor between open and close is one step; so is all that is read of one folder. */
import type { DeliveryEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { asList, asNumber, asObject, asText, parseJson } from '../json.ts';
import { type Draft, type OperationEvent, outcomeOf, type Tracker } from './draft.ts';
import { type FileCall, fileDraft, type FileUse } from './file-step.ts';

interface Pending {
  readonly use: FileUse;
  readonly call: FileCall;
}

export class Files implements Tracker<OperationEvent | ValueEvent> {
  readonly #uses: FileUse[] = [];
  readonly #open = new Map<number, FileUse>();
  readonly #folders = new Map<number, FileUse>();
  readonly #pending = new Map<number, Pending>();
  /** What a call at once is about to write. */
  #written: OutputEvent | undefined;
  /** The large read whose pieces follow. */
  #large: Pending | undefined;

  take(event: OperationEvent | ValueEvent): void {
    if (event.type === 'start') {
      if (!isPrint(event)) this.#pending.set(event.operation, this.#begin(event));
    } else if (event.type === 'output') this.#write(event);
    else if (event.type === 'value') this.#value(event);
    else if (event.kind === 'completed') {
      const pending = this.#pending.get(event.operation);
      this.#pending.delete(event.operation);
      if (!pending) return;
      pending.use.events.push(event);
      this.#answer(pending, event);
    }
  }

  finish(): Draft[] {
    return this.#uses.map(fileDraft);
  }

  #value(event: ValueEvent): void {
    const piece = this.#large;
    if (event.key === PIECE && piece) {
      piece.use.events.push(event);
      (piece.call.pieces ??= []).push(piece.call.name === 'read' ? { result: undefined, bytes: event.data, error: null } : outcomeOf(event));
      return;
    }
    const begun = this.#begin(event);
    this.#answer(begun, event);
    this.#large = begun;
  }

  #write(event: OutputEvent): void {
    const pending = this.#pending.get(event.operation);
    if (!pending) {
      this.#written = event;
      return;
    }
    pending.use.events.push(event);
    pending.call.written = event.data;
  }

  #begin(event: StartEvent | ValueEvent): Pending {
    const [name, ...args] = asList(parseJson(event.key));
    const call: FileCall = { name: asText(name) ?? '', args };
    const fd = asNumber(args[0]);
    const known = fd === null ? undefined : call.name.startsWith('dir.') ? this.#folders.get(fd) : this.#open.get(fd);
    const use = known ?? { opened: this.#written ?? event, events: [], calls: [] };
    if (!known) this.#uses.push(use);
    if (this.#written) {
      use.events.push(this.#written);
      call.written = this.#written.data;
      this.#written = undefined;
    }
    use.events.push(event);
    use.calls.push(call);
    if (call.name === 'opendir') this.#folders.set(asNumber(args[1]) ?? -1, use);
    // The number may be given out again before the answer to close arrives.
    if (call.name === 'close' && fd !== null) this.#open.delete(fd);
    return { use, call };
  }

  #answer({ use, call }: Pending, event: DeliveryEvent | ValueEvent): void {
    call.outcome = outcomeOf(event);
    if (!/^open(?:Sync|FileHandle)?$/.test(call.name)) return;
    const { result } = call.outcome;
    const fd = asNumber(result) ?? asNumber(asObject(result)['fd']);
    if (fd !== null) this.#open.set(fd, use);
  }
}

const PIECE = '["piece"]';

/** `fs.write` on stdout or stderr: its bytes are an output of their own, this is only its completion. */
function isPrint(event: StartEvent): boolean {
  const [name, fd] = asList(parseJson(event.key));
  return name === 'write' && (fd === 1 || fd === 2);
}
