/** JSON-RPC 2.0 as the Model Context Protocol speaks it over pipes: one message a line, wherever the chunks are cut. */
import { bufferConcat } from '../runtime/natives.ts';
import { asObject, isObject, parseShallowJson } from './json.ts';

const LINE_END = 0x0a;

export interface RpcMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/** A message, and what carried it. */
export interface Carried<Source> {
  readonly message: RpcMessage;
  readonly sources: readonly Source[];
}

/** One direction of a connection. */
export class RpcLines<Source> {
  #rest: Buffer[] = [];
  #sources: Source[] = [];

  /** @returns the messages that are whole now; lines that are none are left out */
  take(bytes: Buffer, source: Source): Carried<Source>[] {
    const found: Carried<Source>[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      const line = bufferConcat([...this.#rest, bytes.subarray(from, end)]);
      const message = messageIn(line);
      if (message) found.push({ message, sources: [...this.#sources, source] });
      this.#rest = [];
      this.#sources = [];
      from = end + 1;
    }
    if (from < bytes.length) {
      this.#rest.push(bytes.subarray(from));
      this.#sources.push(source);
    }
    return found;
  }
}

function messageIn(line: Buffer): RpcMessage | undefined {
  const value = parseShallowJson(line.utf8Slice());
  return isObject(value) && asObject(value)['jsonrpc'] === '2.0' ? (value as RpcMessage) : undefined;
}
