/** The reading side of the journal: verifies, decrypts and decodes segments. Runs in the CLI and in a replayed process. */
import { expandClockReads } from '../model/clock.ts';
import { IntegrityError, SealedError } from '../model/error.ts';
import { KINDS, type Kind, type LaneEvent, NOTE_EFFECTS, type RunFacts, type ValueEvent } from '../model/event.ts';
import { bufferFrom, crc32, jsonParse, jsonStringify, nativeCrypto, nativeFs } from '../runtime/natives.ts';
import { checkOf, openKey, readerOf, segmentKeys } from './crypto.ts';
import { FieldReader, FORMAT_VERSION, FRAME, FRAME_HEADER_BYTES, lengthCheck, MAGIC, type SealedKey, segmentFile, type SegmentHeader } from './format.ts';
import { PREFIX_BYTES } from './head.ts';
import { keysBeside } from './keys-beside.ts';

export interface Segment {
  readonly file: string;
  readonly sealed: boolean;
  readonly header: SegmentHeader;
  /** Clear header and encrypted frames, as they lie on disk. */
  readonly raw: Buffer;
  readonly headLength: number;
  /** What opens the run: the keys in the header, or those that lie beside the journal. */
  readonly keys: readonly SealedKey[];
}

export interface LaneReading {
  readonly events: LaneEvent[];
  /** The lane was sealed by the program's regular end. */
  readonly complete: boolean;
  /** base64url: last rolling HMAC read, '' if none. */
  readonly head: string;
  /** What opens this run and no other; undefined where there is nothing to open. */
  readonly runKey: Buffer | undefined;
}

/** Reads the clear header of a segment. @returns undefined when the writer did not get to the end of it @throws IntegrityError when the file is no journal, or a newer one. */
function readSegment(file: string, sealed: boolean, beside: readonly SealedKey[]): Segment | undefined {
  return segmentIn(nativeFs.readFileSync(file), file, sealed, beside);
}

/** Reads the clear header of a segment that lies in memory; `file` is what errors call it. @throws IntegrityError */
export function segmentIn(raw: Buffer, file: string, sealed: boolean, beside: readonly SealedKey[] = []): Segment | undefined {
  const foreign = (why: string): IntegrityError => new IntegrityError(`${file} is not a replay-harness journal: ${why}. Record the run again, or point --store at the folder that holds it.`);
  if (!sealed && isCutHeader(raw)) return undefined;
  if (raw.length < PREFIX_BYTES || raw.latin1Slice(0, MAGIC.length) !== MAGIC) throw foreign('it does not begin with the journal signature');
  const version = raw.readUInt16LE(MAGIC.length);
  if (version > FORMAT_VERSION || version === 0) {
    throw new IntegrityError(`${file} is written in journal format ${version}; this replay-harness reads up to ${FORMAT_VERSION}. Update replay-harness to the version that recorded it, or newer.`);
  }
  const headLength = PREFIX_BYTES + raw.readUInt32LE(MAGIC.length + 2);
  if (headLength > raw.length) throw foreign('its header is cut off');
  const header = parseHeader(raw.utf8Slice(PREFIX_BYTES, headLength), file);
  return { file, sealed, header, raw, headLength, keys: [...header.keys, ...beside] };
}

/** A disk that was full, or a kill, in the middle of the very first write. */
function isCutHeader(raw: Buffer): boolean {
  if (raw.length < PREFIX_BYTES) return MAGIC.startsWith(raw.latin1Slice(0, Math.min(raw.length, MAGIC.length)));
  return raw.latin1Slice(0, MAGIC.length) === MAGIC && raw.readUInt32LE(MAGIC.length + 2) > raw.length - PREFIX_BYTES && /^[ -~]*$/.test(raw.latin1Slice(PREFIX_BYTES));
}

const HEADER_FIELDS: readonly string[] = ['run', 'lane', 'segment', 'salt', 'previous', 'keys'];

function parseHeader(text: string, file: string): SegmentHeader {
  let parsed: unknown;
  try {
    parsed = jsonParse(text);
  } catch {
    throw new IntegrityError(`${file} is damaged: its header cannot be read.`);
  }
  const { check, ...header } = (parsed ?? {}) as SegmentHeader;
  // The first recordings have no check of their own: the checkpoints cover their headers.
  if (check === undefined ? Object.keys(header).join() !== HEADER_FIELDS.join() : check !== checkOf(header) || text !== jsonStringify({ ...header, check })) {
    throw new IntegrityError(`${file} is damaged: the checksum of its header does not match.`);
  }
  return header;
}

/** Finds the segments of a lane in order. @throws IntegrityError when one is missing in between. */
export function readSegments(folder: string, lane = 0): Segment[] {
  const segments: Segment[] = [];
  const beside = keysBeside(folder)?.keys;
  for (let index = 0; ; index++) {
    const sealed = `${folder}/${segmentFile(lane, index, true)}`;
    const open = `${folder}/${segmentFile(lane, index, false)}`;
    const isSealed = nativeFs.existsSync(sealed);
    const segment = isSealed || nativeFs.existsSync(open) ? readSegment(isSealed ? sealed : open, isSealed, beside ?? []) : undefined;
    if (!segment) break;
    segments.push(segment);
  }
  const names = nativeFs.readdirSync(folder).filter((name) => name.startsWith(`lane-${lane}.`) && name.endsWith('.journal'));
  if (names.length > segments.filter(({ sealed }) => sealed).length) throw new IntegrityError(`${folder} misses segment ${segments.length} of lane ${lane}, though later ones are there.`);
  return segments;
}

/**
 * Decrypts, verifies and decodes all events of a lane.
 * @param keys private keys, one of which opens the run's key; or that key itself
 * @throws IntegrityError naming file, event and byte of the first damage; never for a mere truncation of an unsealed lane.
 */
export function readLane(segments: readonly Segment[], keys: readonly string[] | Uint8Array): LaneReading {
  const first = segments[0];
  if (!first) return { events: [], complete: false, head: '', runKey: undefined };
  const runKey = keys instanceof Uint8Array ? bufferFrom(keys) : unlock(first, keys);
  const events: LaneEvent[] = [];
  let at = 0;
  let previous = '';
  let complete = false;
  for (const segment of segments) {
    if (segment.header.previous !== previous) throw new IntegrityError(`${segment.file} does not continue the segment before it: the chain of checkpoints is broken.`);
    const reading = new SegmentReading(segment, runKey, events, at);
    reading.run();
    at = reading.at;
    previous = reading.head;
    complete = reading.complete;
    if (!segment.sealed) break;
  }
  return { events, complete, head: previous, runKey };
}

function unlock(segment: Segment, identities: readonly string[]): Buffer {
  for (const identity of identities) {
    try {
      const key = openKey(segment.keys, readerOf(identity));
      if (key) return key;
    } catch {
      throw new IntegrityError(`${segment.file} is damaged: the run key sealed in its header, or beside it, does not open.`);
    }
  }
  const sealedTo = segment.keys.map((key) => key.recipient).join(', ');
  throw new SealedError(`${segment.file} is sealed to ${sealedTo}, and no identity here opens it. Set REPLAY_HARNESS_IDENTITY to the private key that belongs to it (replay-harness keys lists yours).`);
}

/** Clock reads are written shorter than everybody reads them. */
function readable(event: ValueEvent): ValueEvent {
  return event.kind === 'clocks' ? { ...event, kind: 'clock', data: expandClockReads(event.data) } : event;
}

class SegmentReading {
  complete = false;
  head = '';
  at: number;
  readonly #segment: Segment;
  readonly #events: LaneEvent[];
  readonly #clear: Buffer;
  readonly #mac: Buffer;
  readonly #hash: ReturnType<typeof nativeCrypto.createHash>;
  #hashed: number;

  constructor(segment: Segment, runKey: Buffer, events: LaneEvent[], at: number) {
    this.#segment = segment;
    this.#events = events;
    this.at = at;
    const { lane, segment: index, salt } = segment.header;
    const keys = segmentKeys(runKey, bufferFrom(salt, 'base64url'), lane, index);
    this.#clear = nativeCrypto.createDecipheriv('aes-256-ctr', keys.cipher, keys.iv).update(segment.raw.subarray(segment.headLength));
    this.#mac = keys.mac;
    this.#hash = nativeCrypto.createHash('sha256').update(segment.raw.subarray(0, segment.headLength));
    this.#hashed = segment.headLength;
  }

  run(): void {
    let offset = 0;
    while (offset < this.#clear.length) {
      const next = this.#frame(offset);
      if (next === undefined) break;
      offset = next;
    }
    if (this.#segment.sealed && (offset < this.#clear.length || this.head === '')) throw this.#damage(offset, 'the sealed segment ends before its last checkpoint');
  }

  /** @returns offset of the next frame, undefined where an unsealed segment was cut off. */
  #frame(offset: number): number | undefined {
    const clear = this.#clear;
    if (offset + FRAME_HEADER_BYTES > clear.length) return this.#cut(offset);
    const length = clear.readUInt32LE(offset);
    if (lengthCheck(length) !== clear.readUInt16LE(offset + 4)) throw this.#damage(offset, 'the length of the frame was altered');
    const end = offset + FRAME_HEADER_BYTES + length;
    if (end > clear.length) return this.#cut(offset);
    const body = clear.subarray(offset + FRAME_HEADER_BYTES, end);
    if (crc32(body) !== clear.readUInt32LE(offset + 6)) throw this.#damage(offset, 'the checksum of the frame does not match');
    try {
      this.#decode(body, offset);
    } catch (error) {
      throw error instanceof IntegrityError ? error : this.#damage(offset, `the frame cannot be decoded (${(error as Error).message})`);
    }
    return end;
  }

  #cut(offset: number): undefined {
    if (this.#segment.sealed) throw this.#damage(offset, 'the sealed segment is cut off');
    return undefined;
  }

  #decode(body: Buffer, offset: number): void {
    const fields = new FieldReader(body, 1);
    this.at += fields.varint();
    const seq = this.#events.length;
    const at = this.at;
    switch (body[0]) {
      case FRAME.begin:
        this.#events.push({ type: 'begin', seq, at, facts: jsonParse(fields.data().utf8Slice()) as RunFacts });
        return;
      case FRAME.start:
        this.#events.push({ type: 'start', seq, at, operation: fields.varint(), kind: this.#kind(fields, offset), key: fields.string() });
        return;
      case FRAME.value:
        this.#events.push(readable({ type: 'value', seq, at, kind: this.#kind(fields, offset), status: fields.signed(), key: fields.string(), data: fields.data() }));
        return;
      case FRAME.delivery:
        this.#events.push({ type: 'delivery', seq, at, operation: fields.varint(), kind: this.#kind(fields, offset), status: fields.signed(), data: fields.data() });
        return;
      case FRAME.output:
        this.#events.push({ type: 'output', seq, at, operation: fields.varint(), kind: this.#kind(fields, offset), status: fields.signed(), data: fields.data() });
        return;
      case FRAME.note:
        this.#events.push({ type: 'note', seq, at, name: fields.string(), stack: fields.string(), effect: NOTE_EFFECTS[fields.varint()] ?? 'seen' });
        return;
      case FRAME.end:
        this.#events.push({ type: 'end', seq, at });
        this.complete = true;
        return;
      case FRAME.checkpoint:
        this.#verify(fields.data(), offset);
        return;
      default:
        throw this.#damage(offset, `frame type ${String(body[0])} is unknown`);
    }
  }

  #kind(fields: FieldReader, offset: number): Kind {
    const kind = KINDS[fields.varint()];
    if (!kind) throw this.#damage(offset, 'the kind of the event is unknown');
    return kind;
  }

  #verify(tag: Buffer, offset: number): void {
    const { raw, headLength } = this.#segment;
    this.#hash.update(raw.subarray(this.#hashed, headLength + offset));
    this.#hashed = headLength + offset;
    const expected = nativeCrypto.createHmac('sha256', this.#mac).update(this.#hash.copy().digest()).digest();
    if (tag.length !== expected.length || !nativeCrypto.timingSafeEqual(tag, expected)) throw this.#damage(offset, 'the rolling HMAC does not match: bytes before it were altered');
    this.head = tag.toString('base64url');
  }

  #damage(offset: number, why: string): IntegrityError {
    const { file, headLength } = this.#segment;
    return new IntegrityError(`${file} is damaged at event ${this.#events.length} (byte ${headLength + offset}): ${why}.`);
  }
}
