/** Which reply of a connection to Redis belongs to which of its commands, and what it is subscribed to. */
import { Command } from './command.ts';
import type { Heard, Reply } from './resp.ts';
import { textOf } from './show.ts';

/** Events of messages that others published. */
export const MESSAGES: ReadonlySet<string> = new Set(['message', 'pmessage', 'smessage']);
const CONFIRMATIONS = /^(?:p|s)?(?:un)?subscribe$/;

export class Pairing {
  /** Not yet answered, the oldest first. */
  #waiting: Command[] = [];
  /** Channels and patterns that are subscribed to, by the word that subscribed to them. */
  readonly #channels = new Map<string, Set<string>>();
  /** Commands that get no reply, for so long as the client wished it. */
  #silent = 0;

  get waiting(): readonly Command[] {
    return this.#waiting;
  }

  get isSubscribed(): boolean {
    return [...this.#channels.values()].some(({ size }) => size > 0);
  }

  /** Nothing is answered, until the client wishes it again. */
  get isSilent(): boolean {
    return this.#silent === Infinity;
  }

  /** @returns the command that these words are; undefined: they are none */
  ask(words: Reply): Command | undefined {
    if (!('items' in words) || words.items.length === 0) return undefined;
    const command = new Command(words.items, words.count);
    if (command.subscribes && command.args.length === 0) command.awaits = Math.max(1, this.#channels.get(kindOf(command.name))?.size ?? 0);
    if (this.#isHeard(command)) this.#waiting.push(command);
    return command;
  }

  /** @returns the command that was answered; undefined: nobody asked for it */
  answer({ reply, seqs }: Pick<Heard, 'reply' | 'seqs'>, at: number): Command | undefined {
    const [event = '', channel] = 'items' in reply ? reply.items.slice(0, 2).map(textOf) : [];
    const [first] = this.#waiting;
    const confirms = first?.subscribes === true && event.toUpperCase() === first.name;
    if (CONFIRMATIONS.test(event) && (reply.type === 'push' || confirms)) this.#keep(event, channel);
    const unasked = !first || (reply.type === 'push' ? !confirms : MESSAGES.has(event) && this.#channels.size > 0);
    if (unasked) return undefined;
    first.heard(reply, seqs, at);
    if (first.awaits <= 0 || reply.type === 'error') this.#waiting.shift();
    if (first.name === 'RESET' && reply.type !== 'error') this.#channels.clear();
    return first;
  }

  /** Nothing more comes. @returns the commands that are left without an answer */
  end(): readonly Command[] {
    const left = this.#waiting;
    this.#waiting = [];
    return left;
  }

  /** CLIENT REPLY OFF, SKIP and ON say what is answered from there on. */
  #isHeard({ name, args }: Command): boolean {
    const [verb, wish] = name === 'CLIENT' ? args.map((arg) => textOf(arg)?.toUpperCase()) : [];
    if (verb === 'REPLY' && wish !== undefined) {
      this.#silent = wish === 'OFF' ? Infinity : wish === 'SKIP' ? 1 : 0;
      return wish === 'ON';
    }
    const silent = this.#silent > 0;
    this.#silent = Math.max(0, this.#silent - 1);
    return !silent;
  }

  #keep(event: string, channel: string | undefined): void {
    const kind = kindOf(event.toUpperCase());
    const channels = this.#channels.get(kind) ?? new Set();
    if (/unsubscribe$/.test(event)) channels.delete(channel ?? '');
    else channels.add(channel ?? '');
    this.#channels.set(kind, channels);
  }
}

/** `PUNSUBSCRIBE` ends what `PSUBSCRIBE` began. */
function kindOf(name: string): string {
  return name.replace('UNSUBSCRIBE', 'SUBSCRIBE');
}
