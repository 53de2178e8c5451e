/** One connection to Redis, both directions: which reply belongs to which command, and what came unasked. */
import type { Connection, Said } from '../said.ts';
import { endingOf, shortly } from '../said.ts';
import { preview } from '../json.ts';
import { type Command, errorOf } from './command.ts';
import { MESSAGES, Pairing } from './pairing.ts';
import { type Heard, type Reply, RespReader } from './resp.ts';
import { showReply } from './show.ts';

export class RedisConnection implements Connection {
  readonly #address: string;
  readonly #client = new RespReader();
  readonly #server = new RespReader();
  readonly #commands: Command[] = [];
  readonly #messages: Said[] = [];
  readonly #pairing = new Pairing();

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
    for (const command of this.#pairing.end()) {
      command.error ??= endingOf(how, false);
      command.endedAt = at;
    }
  }

  said(): Said[] {
    const waiting = new Set(this.#pairing.waiting);
    return [...this.#commands.map((command) => command.said(waiting.has(command))), ...this.#messages];
  }

  #ask(words: Reply, seqs: readonly number[], at: number): void {
    const command = this.#pairing.ask(words);
    command?.carrier.add(seqs, at);
    if (command) this.#commands.push(command);
  }

  #answer(heard: Heard, at: number): void {
    if (!this.#pairing.answer(heard, at)) this.#messages.push(this.#message(heard.reply, heard.seqs, at));
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
