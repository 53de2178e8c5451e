/** Header blocks as HTTP/2 compresses them (RFC 7541), read in the order in which they were sent. */
import type { Header } from '../http1-message.ts';
import { decodeHuffman } from './huffman.ts';

const STATIC: readonly Header[] = (
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|' +
  'accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|' +
  'content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|' +
  'location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate'
).split('|').map((entry) => [entry.split('=')[0] as string, entry.split('=')[1] ?? '']);

/** RFC 7541 section 4.1. */
const ENTRY_OVERHEAD = 32;
const DEFAULT_TABLE_BYTES = 4096;

class MalformedError extends Error {}

export class HeaderDecoder {
  /** Newest first. */
  readonly #table: Header[] = [];
  #bytes = 0;
  #limit = DEFAULT_TABLE_BYTES;

  /** @returns undefined where the block cannot be read: then neither can those after it */
  decode(block: Buffer): Header[] | undefined {
    try {
      return this.#read(new Cursor(block));
    } catch (error) {
      if (error instanceof MalformedError) return undefined;
      throw error;
    }
  }

  #read(cursor: Cursor): Header[] {
    const headers: Header[] = [];
    while (!cursor.atEnd) {
      const first = cursor.peek();
      if (first & 0x80) headers.push(this.#entry(cursor.integer(7)));
      else if (first & 0x40) {
        const header = this.#literal(cursor, 6);
        this.#add(header);
        headers.push(header);
      } else if (first & 0x20) {
        this.#limit = cursor.integer(5);
        this.#evict();
      } else headers.push(this.#literal(cursor, 4));
    }
    return headers;
  }

  #literal(cursor: Cursor, bits: number): Header {
    const index = cursor.integer(bits);
    const name = index === 0 ? cursor.text() : this.#entry(index)[0];
    return [name, cursor.text()];
  }

  #entry(index: number): Header {
    const header = index <= STATIC.length ? STATIC[index - 1] : this.#table[index - STATIC.length - 1];
    if (!header) throw new MalformedError();
    return header;
  }

  #add(header: Header): void {
    this.#table.unshift(header);
    this.#bytes += sizeOf(header);
    this.#evict();
  }

  #evict(): void {
    for (let last = this.#table.at(-1); last && this.#bytes > this.#limit; last = this.#table.at(-1)) {
      this.#bytes -= sizeOf(last);
      this.#table.pop();
    }
  }
}

function sizeOf([name, value]: Header): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new MalformedError();
    return byte;
  }

  /** RFC 7541 section 5.1. @param bits of the first byte that belong to it */
  integer(bits: number): number {
    const largest = 2 ** bits - 1;
    let value = this.peek() & largest;
    this.#at++;
    if (value < largest) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.peek();
      this.#at++;
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new MalformedError();
      if ((byte & 0x80) === 0) return value;
    }
  }

  text(): string {
    const isCoded = (this.peek() & 0x80) !== 0;
    const length = this.integer(7);
    const raw = this.#bytes.subarray(this.#at, this.#at + length);
    if (raw.length < length) throw new MalformedError();
    this.#at += length;
    const bytes = isCoded ? decodeHuffman(raw) : raw;
    if (!bytes) throw new MalformedError();
    // One character per byte, as in headers of HTTP/1.
    return bytes.latin1Slice();
  }
}
