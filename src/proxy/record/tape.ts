/** The recording of a program that is seen from outside: events as a recorded Node process would have them, for what went through the proxy. */
import type { JournalWriter } from '../../journal/writer.ts';
import type { Kind } from '../../model/event.ts';
import { encodeArguments } from '../../model/value.ts';
import type { Site } from '../head.ts';

const EOF = -4095;

/** Everything is on disk before it goes on its way, in either direction. */
export class ProxyTape {
  readonly #journal: JournalWriter;
  #operations = 0;

  constructor(journal: JournalWriter) {
    this.#journal = journal;
  }

  /** Something that the proxy does not see, or saw and could not record. */
  note(name: string): void {
    this.#journal.note(name, '', 'seen');
    this.#journal.flush();
  }

  connect(host: string, port: number): Conversation {
    return new Conversation(this.#journal, this.#start('tcp', JSON.stringify([host, port])), (key) => this.#start('tls', key));
  }

  exit(code: number): void {
    this.#journal.output(0, 'exit', code);
    this.#journal.seal();
  }

  #start(kind: Kind, key: string): number {
    const operation = ++this.#operations;
    this.#journal.start(operation, kind, key);
    this.#journal.flush();
    return operation;
  }
}

/** One connection to a server. */
export class Conversation {
  readonly #journal: JournalWriter;
  readonly #tcp: number;
  readonly #startTls: (key: string) => number;
  /** The layer that carries HTTP. */
  #top: number;

  constructor(journal: JournalWriter, tcp: number, startTls: (key: string) => number) {
    this.#journal = journal;
    this.#tcp = tcp;
    this.#top = tcp;
    this.#startTls = startTls;
  }

  /** @param status 0, or why it came to nothing */
  connected(status: number): void {
    this.#deliver(this.#tcp, 'connected', status);
  }

  secures({ host }: Pick<Site, 'host'>): void {
    this.#top = this.#startTls(JSON.stringify({ tcp: this.#tcp, servername: host }));
  }

  secured(error?: Error): void {
    this.#deliver(this.#top, 'handshake', 0, encodeArguments(error ? [error] : []));
  }

  sent(bytes: Buffer): void {
    this.#journal.output(this.#top, 'write', bytes.length, bytes);
    this.#journal.flush();
  }

  received(bytes: Buffer): void {
    this.#deliver(this.#top, 'read', bytes.length, bytes);
  }

  ended(status: number = EOF): void {
    this.#deliver(this.#top, 'read', status);
  }

  /** By the program. */
  closed(): void {
    this.#deliver(this.#tcp, 'closed', 0);
  }

  #deliver(operation: number, kind: Kind, status: number, data?: Uint8Array): void {
    this.#journal.delivery(operation, kind, status, data);
    this.#journal.flush();
  }
}
