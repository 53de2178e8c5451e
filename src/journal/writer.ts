/** The append side of the journal: frames go to memory, and to disk once per macrotask and before bytes leave the process. */
import { KINDS, type Kind, type LaneEvent, NOTE_EFFECTS, type NoteEffect, type RunFacts } from '../model/event.ts';
import { bufferAlloc, bufferFrom, jsonStringify, nativeCrypto, nativeFs, performanceNow, writeAt } from '../runtime/natives.ts';
import { segmentKeys } from './crypto.ts';
import { checksum } from './checksum.ts';
import { CHECKPOINT_BYTES, FieldWriter, FORMAT_VERSION, FRAME, FRAME_HEADER_BYTES, lengthCheck, SEGMENT_BYTES, type SealedKey, segmentFile, type SegmentHeader } from './format.ts';
import { headOf } from './head.ts';
import { Sealer } from './sealer.ts';
import { isOverflow, requireStack } from './stack-depth.ts';

const KIND_CODES: Readonly<Record<string, number>> = Object.fromEntries(KINDS.map((kind, code) => [kind, code]));
const NOTHING: Uint8Array = new Uint8Array(0);

/** What one turn of the loop may append before it is written: with the frame that passes it, mostly still as much as is sealed at a time. */
const HELD_BYTES = 48 * 1024;

export interface JournalOptions {
  /** Folder of the run; must exist. */
  readonly folder: string;
  readonly run: string;
  readonly lane: number;
  readonly runKey: Buffer;
  readonly keys: readonly SealedKey[];
  /** Called once, when the journal can no longer be written: what is lost from here on is only counted. */
  readonly onLost: (reason: string) => void;
}

/** Writes one lane. Never throws: a dead disk stops the recording, not the agent. */
export class JournalWriter {
  /** Sequence number that the next event gets. */
  seq = 0;
  /** Events that could not be written. */
  lost = 0;

  readonly #options: JournalOptions;
  readonly #frames: FieldWriter = new FieldWriter(bufferAlloc);
  #startedAt: number = performanceNow();
  /** Time of an event that is copied, in microseconds since the run began. */
  #copiedAt: number | undefined;
  #lastAt = 0;
  #segment = 0;
  #segmentBytes = 0;
  #sinceCheckpoint = 0;
  #previous = '';
  #fd = -1;
  #sealer: Sealer | undefined;
  #mac: Buffer = bufferFrom('');
  #failed = false;
  #sealed = false;
  /** What the sealer holds is not on disk yet. */
  #isPending = false;
  /** Bytes of whole frames: a stack overflow within an append leaves a part of one behind them. */
  #whole = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#guarded(() => this.#openSegment());
  }

  begin(facts: RunFacts): void {
    const at = this.#open(FRAME.begin);
    this.#frames.data(bufferFrom(jsonStringify(facts)));
    this.#close(at);
  }

  start(operation: number, kind: Kind, key: string): void {
    const at = this.#open(FRAME.start);
    this.#frames.varint(operation);
    this.#frames.varint(KIND_CODES[kind] as number);
    this.#frames.string(key);
    this.#close(at);
  }

  value(kind: Kind, status: number, key: string, data: Uint8Array = NOTHING): void {
    const at = this.#open(FRAME.value);
    this.#frames.varint(KIND_CODES[kind] as number);
    this.#frames.signed(status);
    this.#frames.string(key);
    this.#frames.data(data);
    this.#close(at);
  }

  delivery(operation: number, kind: Kind, status: number, data: Uint8Array = NOTHING): void {
    this.#operationFrame(FRAME.delivery, operation, kind, status, data);
  }

  output(operation: number, kind: Kind, status: number, data: Uint8Array = NOTHING): void {
    this.#operationFrame(FRAME.output, operation, kind, status, data);
  }

  note(name: string, stack: string, effect: NoteEffect): void {
    const at = this.#open(FRAME.note);
    this.#frames.string(name);
    this.#frames.string(stack);
    this.#frames.varint(NOTE_EFFECTS.indexOf(effect));
    this.#close(at);
  }

  /** Appends events of another run, at their times; time goes on from the last of them. */
  copy(events: readonly LaneEvent[]): void {
    for (const event of events) {
      this.#copiedAt = event.at;
      this.#append(event);
      this.relieve();
    }
    this.#copiedAt = undefined;
    this.#startedAt = performanceNow() - this.#lastAt / 1000;
  }

  #append(event: LaneEvent): void {
    switch (event.type) {
      case 'begin':
        return this.begin(event.facts);
      case 'start':
        return this.start(event.operation, event.kind, event.key);
      case 'value':
        return this.value(event.kind, event.status, event.key, event.data);
      case 'delivery':
        return this.delivery(event.operation, event.kind, event.status, event.data);
      case 'output':
        return this.output(event.operation, event.kind, event.status, event.data);
      case 'note':
        return this.note(event.name, event.stack, event.effect);
      case 'end':
    }
  }

  /** When the last event was, in microseconds since the run began. */
  get at(): number {
    return this.#lastAt;
  }

  /** Puts everything appended so far on disk. */
  flush(): void {
    if ((this.#whole === 0 && !this.#isPending) || this.#failed) return;
    try {
      if (this.#sinceCheckpoint >= CHECKPOINT_BYTES) this.#checkpoint();
      this.#write();
      if (this.#segmentBytes >= SEGMENT_BYTES) this.#nextSegment();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Puts on disk what has become too much to hold until the turn is over. */
  relieve(): void {
    if (this.#whole >= HELD_BYTES) this.flush();
  }

  /** Marks the end of the lane and seals its last segment. Idempotent. */
  seal(): void {
    if (this.#sealed) return;
    this.#close(this.#open(FRAME.end));
    this.#guarded(() => this.#sealSegment());
    this.#sealed = true;
  }

  #operationFrame(type: number, operation: number, kind: Kind, status: number, data: Uint8Array): void {
    const at = this.#open(type);
    this.#frames.varint(operation);
    this.#frames.varint(KIND_CODES[kind] as number);
    this.#frames.signed(status);
    this.#frames.data(data);
    this.#close(at);
  }

  #open(type: number): number {
    const at = this.#whole;
    this.#frames.length = at;
    this.#frames.reserve(FRAME_HEADER_BYTES + 1);
    this.#frames.length += FRAME_HEADER_BYTES;
    this.#frames.bytes[this.#frames.length++] = type;
    const now = this.#copiedAt ?? Math.floor((performanceNow() - this.#startedAt) * 1000);
    this.#frames.varint(now > this.#lastAt ? now - this.#lastAt : 0);
    if (now > this.#lastAt) this.#lastAt = now;
    return at;
  }

  #close(at: number): void {
    const { length } = this.#frames;
    const size = length - at - FRAME_HEADER_BYTES;
    this.#frames.u32At(at, size);
    this.#frames.u16At(at + 4, lengthCheck(size));
    this.#frames.u32At(at + 6, checksum(this.#frames.bytes, at + FRAME_HEADER_BYTES, length));
    this.seq++;
    this.#whole = length;
    if (this.#failed || this.#sealed) {
      if (this.#failed) this.lost++;
      this.#whole = 0;
    }
  }

  /** Each step is done or not done when the stack overflows in it, and the next call goes on from there. */
  #write(): void {
    this.#drain();
    if (this.#whole === 0) return;
    (this.#sealer as Sealer).seal(this.#frames.bytes, this.#whole);
    this.#isPending = true;
    this.#whole = 0;
    this.#drain();
  }

  #drain(): void {
    if (!this.#isPending) return;
    const { bytes, from, to } = this.#sealer as Sealer;
    writeFully(this.#fd, bytes, from, to, this.#segmentBytes);
    this.#segmentBytes += to - from;
    this.#sinceCheckpoint += to - from;
    this.#isPending = false;
  }

  /** Appends the rolling HMAC of all bytes before it. */
  #checkpoint(): void {
    requireStack();
    this.#write();
    const digest = (this.#sealer as Sealer).digest();
    const tag = nativeCrypto.createHmac('sha256', this.#mac).update(digest).digest();
    const at = this.#open(FRAME.checkpoint);
    this.#frames.data(tag);
    this.#close(at);
    this.seq--;
    this.#sinceCheckpoint = 0;
    this.#previous = tag.toString('base64url');
    this.#write();
    this.#sinceCheckpoint = 0;
  }

  #openSegment(): void {
    const { folder, run, lane, runKey, keys } = this.#options;
    const salt = nativeCrypto.randomBytes(16);
    const header: SegmentHeader = { run, lane, segment: this.#segment, salt: salt.toString('base64url'), previous: this.#previous, keys };
    const head = headOf(FORMAT_VERSION, header);
    const { cipher, iv, mac } = segmentKeys(runKey, salt, lane, this.#segment);
    this.#sealer = new Sealer(nativeCrypto.createCipheriv('aes-256-ctr', cipher, iv), nativeCrypto.createHash('sha256').update(head));
    this.#mac = mac;
    this.#fd = nativeFs.openSync(`${folder}/${segmentFile(lane, this.#segment, false)}`, 'wx', 0o600);
    writeFully(this.#fd, head, 0, head.length, 0);
    this.#segmentBytes = head.length;
  }

  #sealSegment(): void {
    this.#checkpoint();
    const { folder, lane } = this.#options;
    nativeFs.fsyncSync(this.#fd);
    nativeFs.closeSync(this.#fd);
    nativeFs.renameSync(`${folder}/${segmentFile(lane, this.#segment, false)}`, `${folder}/${segmentFile(lane, this.#segment, true)}`);
  }

  #nextSegment(): void {
    this.#sealSegment();
    this.#segment++;
    this.#openSegment();
  }

  #guarded(write: () => void): void {
    if (this.#failed) return;
    try {
      write();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    // The program is at the end of its stack, and would overflow in its own next call; the disk is well.
    if (isOverflow(error)) throw error;
    this.#failed = true;
    this.#whole = 0;
    this.lost++;
    this.#options.onLost((error as Error).message);
  }
}

/** At its place, so that writing the same again does no harm. */
function writeFully(fd: number, bytes: Uint8Array, from: number, to: number, place: number): void {
  let at = from;
  while (at < to) at += writeAt(fd, bytes, at, to - at, place + at - from);
}
