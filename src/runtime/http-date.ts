/** The text by which Node dates what its HTTP servers answer: of the current second, read from a clock that nobody can replace, and forgotten by a timer. */
import { apply } from './natives.ts';
import { asOwn } from './own.ts';
import type { AnyFunction } from './patches.ts';

export interface Message {
  sendDate: boolean;
  _header: string | null;
}

type OutgoingMessage = (new () => Message) & { readonly prototype: { readonly _storeHeader: AnyFunction } };

const DATE = /Date: ([^\r]+)/;
const { OutgoingMessage } = process.getBuiltinModule('node:http') as unknown as { OutgoingMessage: OutgoingMessage };
const { _storeHeader: storeHeader } = OutgoingMessage.prototype;
let message: Message | undefined;

/** Asked by a message of ours, before one of the program's asks: neither the clock read nor the timer belongs to the program. */
export function currentDate(): string {
  return asOwn(() => {
    message ??= new OutgoingMessage();
    message.sendDate = true;
    apply(storeHeader, message, ['', null]);
    return DATE.exec(message._header ?? '')?.[1] ?? '';
  });
}
