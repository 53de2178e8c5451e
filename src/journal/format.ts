/**
 * Binary layout of the journal.
 *
 * Segment file: clear header, then one AES-256-CTR stream of frames.
 *   header  "RHJRNL\r\n" · u16 FORMAT_VERSION · u32 length · JSON {@link SegmentHeader}
 *   frame   u32 length of body · u16 check of the length · u32 CRC-32 of body · body
 *   body    u8 frame type · fields (varints; strings and bytes are length-prefixed)
 *
 * Bump FORMAT_VERSION when a reader of the old version would misread; every released version keeps a
 * recording in test/recordings that must replay for ever.
 */
export const MAGIC = 'RHJRNL\r\n';
export const FORMAT_VERSION = 1;
export const SEGMENT_BYTES: number = 64 * 1024 * 1024;
export const FRAME_HEADER_BYTES = 10;
/** Bytes between two checkpoints (rolling HMAC) at most. */
export const CHECKPOINT_BYTES: number = 256 * 1024;

export const FRAME = { begin: 1, start: 2, value: 3, delivery: 4, output: 5, note: 6, end: 7, checkpoint: 8 } as const;

/** The run key, sealed to one recipient (X25519, HKDF-SHA-256, AES-256-GCM); all fields base64url. */
export interface SealedKey {
  readonly recipient: string;
  readonly ephemeral: string;
  readonly box: string;
}

export interface SegmentHeader {
  readonly run: string;
  readonly lane: number;
  readonly segment: number;
  /** base64url, 16 bytes: salt of this segment's keys. */
  readonly salt: string;
  /** base64url: last checkpoint of the segment before; '' for segment 0. */
  readonly previous: string;
  readonly keys: readonly SealedKey[];
  /** SHA-256 over the JSON without this field, hex: the keys in it have to be trusted before any HMAC can be checked. */
  readonly check?: string;
}

/** Check of a frame's length field, so that a flipped bit there is damage and not a truncation. */
export function lengthCheck(length: number): number {
  return (Math.imul(length, 0x9e3779b1) >>> 16) & 0xffff;
}

/** Name of a segment's file: open while written, sealed by rename. */
export function segmentFile(lane: number, segment: number, sealed: boolean): string {
  return `lane-${lane}.${String(segment).padStart(4, '0')}.${sealed ? 'journal' : 'open'}`;
}

const SHORT_TEXT = 48;
/** Behind whatever is written there is room for some numbers: none of them looks whether there is. */
const ROOM = 64;

/** Appends frame fields to a growing buffer. */
export class FieldWriter {
  bytes: Buffer;
  length = 0;
  /** Of `bytes`: V8 compiles its accessors to single stores. */
  #view: DataView;

  constructor(allocate: (size: number) => Buffer, size: number = 64 * 1024) {
    this.#allocate = allocate;
    this.bytes = allocate(size);
    this.#view = new DataView(this.bytes.buffer, this.bytes.byteOffset, size);
  }

  readonly #allocate: (size: number) => Buffer;

  /** For `count` bytes and six numbers. */
  reserve(count: number): void {
    if (this.length + count + ROOM > this.bytes.length) this.#grow(count + ROOM);
  }

  #grow(count: number): void {
    const grown = this.#allocate(Math.max(this.bytes.length * 2, this.length + count));
    const view = new DataView(grown.buffer, grown.byteOffset, grown.length);
    this.bytes.copy(grown, 0, 0, this.length);
    // Both or none, should the stack end within a call.
    this.bytes = grown;
    this.#view = view;
  }

  /** Into room that is reserved. */
  varint(value: number): void {
    if (value < 0x80) this.bytes[this.length++] = value;
    else this.#long(value);
  }

  #long(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  /** Signed: zigzag. */
  signed(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  string(text: string): void {
    this.reserve(text.length * 3 + 10);
    // One byte per character is the common case: write behind a one-byte length, and fall back when that was wrong.
    if (text.length < SHORT_TEXT && this.#ascii(text)) return;
    if (text.length < 0x80) {
      const written = this.bytes.utf8Write(text, this.length + 1);
      if (written < 0x80) {
        this.bytes[this.length] = written;
        this.length += written + 1;
        return;
      }
    }
    const encoded = this.bytes.utf8Write(text, this.length + 10);
    const from = this.length + 10;
    this.varint(encoded);
    this.bytes.copyWithin(this.length, from, from + encoded);
    this.length += encoded;
  }

  /** Character by character, as long as each is a byte: a call into native code costs more for a short text. */
  #ascii(text: string): boolean {
    const { bytes } = this;
    const from = this.length + 1;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) return false;
      bytes[from + i] = code;
    }
    bytes[from - 1] = text.length;
    this.length = from + text.length;
    return true;
  }

  u32At(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  u16At(at: number, value: number): void {
    this.#view.setUint16(at, value, true);
  }

  data(chunk: Uint8Array): void {
    this.reserve(chunk.length + 10);
    if (chunk.length === 0) {
      this.bytes[this.length++] = 0;
      return;
    }
    this.varint(chunk.length);
    this.bytes.set(chunk, this.length);
    this.length += chunk.length;
  }
}

/** Reads what {@link FieldWriter} wrote. */
export class FieldReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('field beyond the end of its frame');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  signed(): number {
    const raw = this.varint();
    return raw % 2 === 1 ? -(raw + 1) / 2 : raw / 2;
  }

  data(): Buffer {
    const length = this.varint();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('field beyond the end of its frame');
    const chunk = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return chunk;
  }

  string(): string {
    return this.data().utf8Slice();
  }
}
