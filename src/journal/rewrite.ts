/** Writes a journal of events that are all there: those of another journal, changed. Times stay what they were. */
import { KINDS, type LaneEvent, NOTE_EFFECTS } from '../model/event.ts';
import { bufferAlloc, bufferConcat, bufferFrom, jsonStringify, nativeCrypto } from '../runtime/natives.ts';
import { checksum } from './checksum.ts';
import { segmentKeys } from './crypto.ts';
import { CHECKPOINT_BYTES, FieldWriter, FORMAT_VERSION, FRAME, FRAME_HEADER_BYTES, lengthCheck, SEGMENT_BYTES, segmentFile } from './format.ts';
import { headOf } from './head.ts';

export interface Rewritten {
  /** Name of the file. */
  readonly name: string;
  readonly sealed: boolean;
  readonly raw: Buffer;
}

export interface RewriteOptions {
  readonly run: string;
  readonly lane: number;
  readonly runKey: Buffer;
  /** 16 bytes for each segment by its number: never the same for other events under the same key. */
  readonly salt: (segment: number) => Buffer;
  /** Seals the last segment, too. */
  readonly sealed: boolean;
}

/** @returns segments whose headers hold no keys: those lie beside */
export function rewriteLane(events: readonly LaneEvent[], options: RewriteOptions): Rewritten[] {
  const segments: Rewritten[] = [];
  let writer = new SegmentWriter(options, 0, '', 0);
  for (const event of events) {
    if (writer.length >= SEGMENT_BYTES) {
      segments.push(writer.end(true));
      writer = new SegmentWriter(options, segments.length, writer.previous, writer.at);
    }
    writer.append(event);
  }
  return [...segments, writer.end(options.sealed)];
}

class SegmentWriter {
  /** base64url: last checkpoint. */
  previous: string;
  /** Microseconds of the last event. */
  at: number;
  length: number;
  readonly #name: (sealed: boolean) => string;
  readonly #parts: Buffer[];
  readonly #frames: FieldWriter = new FieldWriter(bufferAlloc);
  readonly #cipher: ReturnType<typeof nativeCrypto.createCipheriv>;
  readonly #hash: ReturnType<typeof nativeCrypto.createHash>;
  readonly #mac: Buffer;
  #sinceCheckpoint = 0;

  constructor({ run, lane, runKey, salt }: RewriteOptions, segment: number, previous: string, at: number) {
    const salted = salt(segment);
    const head = headOf(FORMAT_VERSION, { run, lane, segment, salt: salted.toString('base64url'), previous, keys: [] });
    const { cipher, iv, mac } = segmentKeys(runKey, salted, lane, segment);
    this.previous = previous;
    this.at = at;
    this.length = head.length;
    this.#name = (sealed) => segmentFile(lane, segment, sealed);
    this.#parts = [head];
    this.#cipher = nativeCrypto.createCipheriv('aes-256-ctr', cipher, iv);
    this.#hash = nativeCrypto.createHash('sha256').update(head);
    this.#mac = mac;
  }

  append(event: LaneEvent): void {
    this.#frame(() => encode(this.#frames, event, Math.max(0, event.at - this.at)));
    this.at = Math.max(this.at, event.at);
    if (this.#sinceCheckpoint + this.#frames.length >= CHECKPOINT_BYTES) this.#checkpoint();
  }

  end(sealed: boolean): Rewritten {
    if (sealed) this.#checkpoint();
    else this.#flush();
    return { name: this.#name(sealed), sealed, raw: bufferConcat(this.#parts) };
  }

  #checkpoint(): void {
    this.#flush();
    const tag = nativeCrypto.createHmac('sha256', this.#mac).update(this.#hash.copy().digest()).digest();
    this.#frame(() => {
      this.#frames.bytes[this.#frames.length++] = FRAME.checkpoint;
      this.#frames.varint(0);
      this.#frames.data(tag);
    });
    this.#flush();
    this.previous = tag.toString('base64url');
    this.#sinceCheckpoint = 0;
  }

  #frame(body: () => void): void {
    const from = this.#frames.length;
    this.#frames.reserve(FRAME_HEADER_BYTES + 16);
    this.#frames.length += FRAME_HEADER_BYTES;
    body();
    const size = this.#frames.length - from - FRAME_HEADER_BYTES;
    this.#frames.u32At(from, size);
    this.#frames.u16At(from + 4, lengthCheck(size));
    this.#frames.u32At(from + 6, checksum(this.#frames.bytes, from + FRAME_HEADER_BYTES, this.#frames.length));
  }

  #flush(): void {
    if (this.#frames.length === 0) return;
    const sealed = this.#cipher.update(this.#frames.bytes.subarray(0, this.#frames.length));
    this.#hash.update(sealed);
    this.#parts.push(sealed);
    this.length += sealed.length;
    this.#sinceCheckpoint += sealed.length;
    this.#frames.length = 0;
  }
}

/** @param since microseconds since the event before */
function encode(frames: FieldWriter, event: LaneEvent, since: number): void {
  frames.bytes[frames.length++] = FRAME[event.type];
  frames.varint(since);
  switch (event.type) {
    case 'begin':
      frames.data(bufferFrom(jsonStringify(event.facts)));
      return;
    case 'start':
      frames.varint(event.operation);
      frames.varint(KINDS.indexOf(event.kind));
      frames.string(event.key);
      return;
    case 'value':
      frames.varint(KINDS.indexOf(event.kind));
      frames.signed(event.status);
      frames.string(event.key);
      frames.data(event.data);
      return;
    case 'delivery':
    case 'output':
      frames.varint(event.operation);
      frames.varint(KINDS.indexOf(event.kind));
      frames.signed(event.status);
      frames.data(event.data);
      return;
    case 'note':
      frames.string(event.name);
      frames.string(event.stack);
      frames.varint(NOTE_EFFECTS.indexOf(event.effect));
      return;
    default:
  }
}
