/** One connection to Redis, both directions: which reply belongs to which command, and what came unasked. */
import type { Connection, Said } from '../said.ts';
import { endingOf, shortly } from '../said.ts';
import { preview } from '../json.ts';
import { Command, errorOf } from './command.ts';
import { type Heard, type Reply, RespReader } from './resp.ts';
import { showReply, textOf } from './show.ts';

const MESSAGES: ReadonlySet<string> = new Set(['message', 'pmessage', 'smessage']);
const CONFIRMATIONS = /^(?:p|s)?(?:un)?subscribe$/;

export class RedisConnection implements Connection {
  readonly #address: string;
  readonly #client = new RespReader();
  readonly #server = new RespReader();
  readonly #commands: Command[] = [];
  readonly #messages: Said[] = [];
  /** Not yet answered, the oldest first. */
  #waiting: Command[] = [];
  /** Channels and patterns that are subscribed to, by the word that subscribed to them. */
  readonly #channels = new Map<string, Set<string>>();
  /** Commands that get no reply, for so long as the client wished it. */
  #silent = 0;

  constructor(address: string) {
    this.#address = address;
  }

  write(seq: number, at: number, bytes: Buffer): void {
    for (const { reply, seqs } of this.#client.feed(seq, bytes)) this.#ask(reply, seqs, at);
  }

  read(seq: number, at: number, bytes: Buffer): void {
    for (const heard of this.#server.feed(seq, bytes)) this.#answer(heard, at);
  }

  end(at: number, how: string): void {
    for (const command of this.#waiting) {
      command.error ??= endingOf(how, false);
      command.endedAt = at;
    }
    this.#waiting = [];
  }

  said(): Said[] {
    const waiting = new Set(this.#waiting);
    return [...this.#commands.map((command) => command.said(waiting.has(command))), ...this.#messages];
  }

  #ask(words: Reply, seqs: readonly number[], at: number): void {
    if (!('items' in words) || words.items.length === 0) return;
    const command = new Command(words.items, words.count);
    command.carrier.add(seqs, at);
    this.#commands.push(command);
    if (command.subscribes && command.args.length === 0) command.awaits = Math.max(1, this.#channels.get(kindOf(command.name))?.size ?? 0);
    if (this.#isHeard(command)) this.#waiting.push(command);
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

  #answer({ reply, seqs }: Heard, at: number): void {
    const [event = '', channel] = 'items' in reply ? reply.items.slice(0, 2).map(textOf) : [];
    const [first] = this.#waiting;
    const confirms = first?.subscribes === true && event.toUpperCase() === first.name;
    if (CONFIRMATIONS.test(event) && (reply.type === 'push' || confirms)) this.#keep(event, channel);
    const unasked = !first || (reply.type === 'push' ? !confirms : MESSAGES.has(event) && this.#channels.size > 0);
    if (unasked) {
      this.#messages.push(this.#message(reply, seqs, at));
      return;
    }
    first.heard(reply, seqs, at);
    if (first.awaits <= 0 || reply.type === 'error') this.#waiting.shift();
  }

  #keep(event: string, channel: string | undefined): void {
    const kind = kindOf(event.toUpperCase());
    const channels = this.#channels.get(kind) ?? new Set();
    if (/unsubscribe$/.test(event)) channels.delete(channel ?? '');
    else channels.add(channel ?? '');
    this.#channels.set(kind, channels);
  }

  #message(reply: Reply, seqs: readonly number[], at: number): Said {
    const base = { seqs: new Set(seqs), startedAt: at, endedAt: at, kind: 'message' as const, input: null };
    if (reply.type === 'error') {
      const error = errorOf(reply.text);
      return { ...base, name: `redis ${error.code}`, summary: `redis ${error.code} ${shortly(error.message, 120)}`, output: null, error, asked: error.code };
    }
    const items = 'items' in reply ? reply.items.map(showReply) : [showReply(reply)];
    const [event] = items;
    const spoken = typeof event === 'string' && MESSAGES.has(event);
    // A pattern that matched stands before the channel.
    const [payload, channel] = spoken ? [items.at(-1), items.at(-2)] : [items, null];
    const name = spoken ? `redis message ${shortly(String(channel), 80)}` : `redis ${shortly(typeof event === 'string' ? event : 'message', 40)} from ${this.#address}`;
    return { ...base, name, summary: `${name}: ${preview(payload, 120)}`, output: { channel, payload }, error: null, asked: name };
  }
}

/** Whether a client's bytes are commands, and nothing else. */
export function asksRedis(bytes: Buffer): boolean {
  if (!/^\*\d{1,9}\r\n\$/.test(bytes.subarray(0, 16).latin1Slice())) return false;
  const reader = new RespReader();
  const commands = [...reader.feed(0, bytes)];
  return commands.length > 0 && reader.between;
}

/** `PUNSUBSCRIBE` ends what `PSUBSCRIBE` began. */
function kindOf(name: string): string {
  return name.replace('UNSUBSCRIBE', 'SUBSCRIBE');
}
