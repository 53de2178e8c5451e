/** One HTTP/1.x message, read from bytes that may be cut anywhere. */

/** In the order and case of the wire. */
export type Header = readonly [name: string, value: string];

/** How the end of a body is found (RFC 9112 section 6.3). `tunnel`: what follows is not HTTP any more. */
export type Framing =
  | { readonly by: 'none' | 'chunked' | 'close' | 'tunnel' }
  | { readonly by: 'length'; readonly length: number };

type Phase = 'start' | 'headers' | 'length' | 'close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'done' | 'invalid';

const LINE_LIMIT = 1024 * 1024;
const LF = 10;

export class MessageReader {
  startLine = '';
  readonly headers: Header[] = [];
  readonly trailers: Header[] = [];
  /** De-chunked, still content-encoded. */
  readonly body: Buffer[] = [];
  bodyBytes = 0;
  framing: Framing = { by: 'none' };

  headComplete = false;

  #phase: Phase = 'start';
  #line = '';
  #left = 0;
  readonly #isStart: (line: string) => boolean;
  readonly #frame: (message: MessageReader) => Framing;

  constructor(isStart: (line: string) => boolean, frame: (message: MessageReader) => Framing) {
    this.#isStart = isStart;
    this.#frame = frame;
  }

  get done(): boolean {
    return this.#phase === 'done';
  }

  get invalid(): boolean {
    return this.#phase === 'invalid';
  }

  /** Takes bytes from `offset` on. @returns the offset behind the last byte that belongs to this message. */
  feed(bytes: Buffer, offset: number): number {
    let at = offset;
    while (at < bytes.length && this.#phase !== 'done' && this.#phase !== 'invalid') {
      at = this.#inBody() ? this.#takeBody(bytes, at) : this.#takeLine(bytes, at);
    }
    return at;
  }

  /** The stream ended. @returns whether the message is whole. */
  end(): boolean {
    if (this.#phase === 'close') this.#phase = 'done';
    return this.#phase === 'done';
  }

  #inBody(): boolean {
    return this.#phase === 'length' || this.#phase === 'close' || this.#phase === 'chunk-data';
  }

  #takeBody(bytes: Buffer, at: number): number {
    const end = this.#phase === 'close' ? bytes.length : Math.min(bytes.length, at + this.#left);
    this.body.push(bytes.subarray(at, end));
    this.bodyBytes += end - at;
    this.#left -= end - at;
    if (this.#phase !== 'close' && this.#left === 0) this.#phase = this.#phase === 'length' ? 'done' : 'chunk-end';
    return end;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(LF, at);
    const end = newline < 0 ? bytes.length : newline + 1;
    this.#line += bytes.latin1Slice(at, end);
    if (newline >= 0) {
      const line = this.#line.endsWith('\r\n') ? this.#line.slice(0, -2) : this.#line.slice(0, -1);
      this.#line = '';
      this.#takeWholeLine(line);
    } else if (this.#line.length > LINE_LIMIT) {
      this.#phase = 'invalid';
    }
    return end;
  }

  #takeWholeLine(line: string): void {
    switch (this.#phase) {
      case 'start':
        // Empty lines before a message are to be ignored (RFC 9112 section 2.2).
        if (line === '') return;
        this.startLine = line;
        this.#phase = this.#isStart(line) ? 'headers' : 'invalid';
        return;
      case 'headers':
        if (line !== '') addHeader(this.headers, line);
        else this.#beginBody(this.#frame(this));
        return;
      case 'chunk-size':
        this.#beginChunk(line);
        return;
      case 'chunk-end':
        this.#phase = 'chunk-size';
        return;
      case 'trailers':
        if (line !== '') addHeader(this.trailers, line);
        else this.#phase = 'done';
        return;
      default:
        return;
    }
  }

  #beginBody(framing: Framing): void {
    this.framing = framing;
    this.headComplete = true;
    if (framing.by === 'chunked') this.#phase = 'chunk-size';
    else if (framing.by === 'close') this.#phase = 'close';
    else if (framing.by === 'length' && framing.length > 0) {
      this.#left = framing.length;
      this.#phase = 'length';
    } else this.#phase = 'done';
  }

  #beginChunk(line: string): void {
    const size = /^\s*([0-9a-f]+)\s*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) {
      this.#phase = 'invalid';
      return;
    }
    this.#left = parseInt(size, 16);
    this.#phase = this.#left === 0 ? 'trailers' : 'chunk-data';
  }
}

/** @returns the first value of a header; names are compared without regard to case. */
export function headerValue(headers: readonly Header[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
}

export function headerValues(headers: readonly Header[], name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([candidate]) => candidate.toLowerCase() === wanted).map(([, value]) => value);
}

/** @returns the framing that the headers ask for; `otherwise` where they say nothing. */
export function framingOf(headers: readonly Header[], otherwise: Framing): Framing {
  const codings = headerValues(headers, 'transfer-encoding').join(',').toLowerCase();
  if (codings !== '') return /(?:^|,)\s*chunked\s*$/.test(codings) ? { by: 'chunked' } : otherwise;
  const length = headerValue(headers, 'content-length')?.trim() ?? '';
  return /^\d+/.test(length) ? { by: 'length', length: parseInt(length, 10) } : otherwise;
}

function addHeader(headers: Header[], line: string): void {
  const last = headers.at(-1);
  if (last && /^[ \t]/.test(line)) {
    headers[headers.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
    return;
  }
  const colon = line.indexOf(':');
  headers.push(colon < 0 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
}
