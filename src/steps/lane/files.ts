/** File operations: everything that happens on one descriptor between open and close is one step. */
import type { DeliveryEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { asList, asNumber, asObject, asText, parseJson } from '../json.ts';
import { type Draft, type OperationEvent, outcomeOf, type Tracker } from './draft.ts';
import { type FileCall, fileDraft, type FileUse } from './file-step.ts';

export class Files implements Tracker<OperationEvent | ValueEvent> {
  readonly #uses: FileUse[] = [];
  readonly #open = new Map<number, FileUse>();
  readonly #pending = new Map<number, { readonly use: FileUse; readonly call: FileCall }>();

  take(event: OperationEvent | ValueEvent): void {
    if (event.type === 'start') {
      if (!isPrint(event)) this.#pending.set(event.operation, this.#begin(event));
    } else if (event.type === 'value') this.#answer(this.#begin(event), event);
    else if (event.type === 'delivery' && event.kind === 'completed') {
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

  #begin(event: StartEvent | ValueEvent): { use: FileUse; call: FileCall } {
    const [name, ...args] = asList(parseJson(event.key));
    const call: FileCall = { name: asText(name) ?? '', args };
    const fd = asNumber(args[0]);
    const use = (fd === null ? undefined : this.#open.get(fd)) ?? { opened: event, events: [], calls: [] };
    if (use.opened === event) this.#uses.push(use);
    use.events.push(event);
    use.calls.push(call);
    // The number may be given out again before the answer to close arrives.
    if (call.name === 'close' && fd !== null) this.#open.delete(fd);
    return { use, call };
  }

  #answer({ use, call }: { use: FileUse; call: FileCall }, event: DeliveryEvent | ValueEvent): void {
    call.outcome = outcomeOf(event);
    if (!/^open(?:Sync|FileHandle)?$/.test(call.name)) return;
    const { result } = call.outcome;
    const fd = asNumber(result) ?? asNumber(asObject(result)['fd']);
    if (fd !== null) this.#open.set(fd, use);
  }
}

/** `fs.write` on stdout or stderr: its bytes are an output of their own, this is only its completion. */
function isPrint(event: StartEvent): boolean {
  const [name, fd] = asList(parseJson(event.key));
  return name === 'write' && (fd === 1 || fd === 2);
}
