/** Recognises by the first bytes of a connection which protocol is spoken on it, other than HTTP, and follows it. */
import { bufferConcat } from '../runtime/natives.ts';
import { PostgresConnection } from './postgres/connection.ts';
import { RedisConnection } from './redis/connection.ts';
import type { Connection, Said } from './said.ts';

const ENOUGH = 64;
/** Protocol 3.0 and 3.2, and what may come before: a request for TLS, for GSSAPI, to cancel a query. */
const POSTGRES_CODES: ReadonlySet<number> = new Set([196608, 196610, 80877103, 80877104, 80877102]);
const POSTGRES_OPENING = 8;
const REDIS_OPENING = /^\*\d{1,9}\r\n\$/;
const REDIS_BEGINNING = /^\*(?:\d{1,9}(?:\r\n?)?)?$/;

export class Dialogue {
  readonly #address: string;
  #connection: Connection | undefined;
  /** What was sent before the protocol was known. */
  #held: { readonly seq: number; readonly at: number; readonly bytes: Buffer }[] | undefined = [];

  constructor(address: string) {
    this.#address = address;
  }

  write(seq: number, at: number, bytes: Buffer): void {
    if (!this.#held) {
      this.#connection?.write(seq, at, bytes);
      return;
    }
    const held = [...this.#held, { seq, at, bytes }];
    const connect = recognise(bufferConcat(held.map((each) => each.bytes.subarray(0, ENOUGH))));
    this.#held = connect === undefined ? held : undefined;
    if (!connect) return;
    this.#connection = connect(this.#address);
    for (const each of held) this.#connection.write(each.seq, each.at, each.bytes);
  }

  read(seq: number, at: number, bytes: Buffer): void {
    // In these protocols it is the client that speaks first.
    this.#held = undefined;
    this.#connection?.read(seq, at, bytes);
  }

  end(at: number, how: string): void {
    this.#connection?.end(at, how);
  }

  said(): Said[] {
    return this.#connection?.said() ?? [];
  }
}

/** @returns undefined while it is too early to say, null for any other protocol */
function recognise(sent: Buffer): ((address: string) => Connection) | null | undefined {
  if (sent.length === 0) return undefined;
  if (sent[0] === 0) {
    if (sent.length < POSTGRES_OPENING) return undefined;
    return POSTGRES_CODES.has(sent.readUInt32BE(4)) ? (address) => new PostgresConnection(address) : null;
  }
  const text = sent.subarray(0, ENOUGH).latin1Slice();
  if (REDIS_OPENING.test(text)) return (address) => new RedisConnection(address);
  return REDIS_BEGINNING.test(text) ? undefined : null;
}
