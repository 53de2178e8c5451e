/** The line to the debugger's thread of a replayed program: one JSON text a line, each of one debugger's session. */
import type { Duplex } from 'node:stream';

/** A message of the inspector protocol. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class Channel {
  readonly #stream: Duplex;
  readonly #listeners = new Map<number, (message: Message) => void>();
  #rest = '';

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#take(text));
    // It goes with the program.
    stream.on('error', () => {});
  }

  /** @param heard is told what session `id` says */
  listen(id: number, heard: (message: Message) => void): void {
    this.#listeners.set(id, heard);
  }

  /** Begins a further session. */
  open(id: number, heard: (message: Message) => void): void {
    this.listen(id, heard);
    this.#write({ open: id });
  }

  close(id: number): void {
    this.#listeners.delete(id);
    this.#write({ close: id });
  }

  send(id: number, message: Message): void {
    this.#write({ to: id, message });
  }

  #write(command: object): void {
    if (this.#stream.writable) this.#stream.write(`${JSON.stringify(command)}\n`);
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) {
      const { from, message } = JSON.parse(line) as { from: number; message: Message };
      this.#listeners.get(from)?.(message);
    }
  }
}
