/** The append side of the journal: frames go to memory, and to disk once per macrotask and before bytes leave the process. */
import { KINDS, type Kind, NOTE_EFFECTS, type NoteEffect, type RunFacts } from '../model/event.ts';
import { bufferAlloc, bufferConcat, bufferFrom, crc32, jsonStringify, nativeCrypto, nativeFs, performanceNow } from '../runtime/natives.ts';
import { checkOf, segmentKeys } from './crypto.ts';
import { CHECKPOINT_BYTES, FieldWriter, FORMAT_VERSION, FRAME, FRAME_HEADER_BYTES, lengthCheck, MAGIC, SEGMENT_BYTES, type SealedKey, segmentFile, type SegmentHeader } from './format.ts';

const KIND_CODES: Readonly<Record<string, number>> = Object.fromEntries(KINDS.map((kind, code) => [kind, code]));
const NOTHING: Uint8Array = new Uint8Array(0);

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

type Cipher = ReturnType<typeof nativeCrypto.createCipheriv>;
type Hash = ReturnType<typeof nativeCrypto.createHash>;

/** Writes one lane. Never throws: a dead disk stops the recording, not the agent. */
export class JournalWriter {
  /** Sequence number that the next event gets. */
  seq = 0;
  /** Events that could not be written. */
  lost = 0;

  readonly #options: JournalOptions;
  readonly #frames: FieldWriter = new FieldWriter(bufferAlloc);
  readonly #startedAt: number = performanceNow();
  #lastAt = 0;
  #segment = 0;
  #segmentBytes = 0;
  #sinceCheckpoint = 0;
  #previous = '';
  #fd = -1;
  #cipher: Cipher | undefined;
  #hash: Hash | undefined;
  #mac: Buffer = bufferFrom('');
  #failed = false;
  #sealed = false;
  /** Encrypted, and not on disk yet. */
  #outbox: Buffer | undefined;
  /** The rolling hash has seen the outbox. */
  #hashed = false;
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

  /** Puts everything appended so far on disk. */
  flush(): void {
    if (this.#whole === 0 && !this.#outbox) return;
    this.#guarded(() => {
      if (this.#sinceCheckpoint >= CHECKPOINT_BYTES) this.#checkpoint();
      this.#write();
      if (this.#segmentBytes >= SEGMENT_BYTES) {
        this.#sealSegment();
        this.#segment++;
        this.#openSegment();
      }
    });
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
    this.#frames.reserve(FRAME_HEADER_BYTES + 32);
    this.#frames.length += FRAME_HEADER_BYTES;
    this.#frames.bytes[this.#frames.length++] = type;
    const now = Math.floor((performanceNow() - this.#startedAt) * 1000);
    this.#frames.varint(now > this.#lastAt ? now - this.#lastAt : 0);
    if (now > this.#lastAt) this.#lastAt = now;
    return at;
  }

  #close(at: number): void {
    const { bytes, length } = this.#frames;
    const body = bytes.subarray(at + FRAME_HEADER_BYTES, length);
    bytes.writeUInt32LE(body.length, at);
    bytes.writeUInt16LE(lengthCheck(body.length), at + 4);
    bytes.writeUInt32LE(crc32(body), at + 6);
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
    this.#outbox = (this.#cipher as Cipher).update(this.#frames.bytes.subarray(0, this.#whole));
    this.#whole = 0;
    this.#drain();
  }

  #drain(): void {
    const outbox = this.#outbox;
    if (!outbox) return;
    if (!this.#hashed) (this.#hash as Hash).update(outbox);
    this.#hashed = true;
    writeFully(this.#fd, outbox, this.#segmentBytes);
    this.#segmentBytes += outbox.length;
    this.#sinceCheckpoint += outbox.length;
    this.#outbox = undefined;
    this.#hashed = false;
  }

  /** Appends the rolling HMAC of all bytes before it. */
  #checkpoint(): void {
    requireStack(STACK_LEVELS);
    this.#write();
    const digest = (this.#hash as Hash).copy().digest();
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
    const text = bufferFrom(jsonStringify({ ...header, check: checkOf(header) }));
    const head = bufferConcat([bufferFrom(MAGIC, 'latin1'), bufferAlloc(6), text]);
    head.writeUInt16LE(FORMAT_VERSION, MAGIC.length);
    head.writeUInt32LE(text.length, MAGIC.length + 2);
    const { cipher, iv, mac } = segmentKeys(runKey, salt, lane, this.#segment);
    this.#cipher = nativeCrypto.createCipheriv('aes-256-ctr', cipher, iv);
    this.#hash = nativeCrypto.createHash('sha256').update(head);
    this.#mac = mac;
    this.#fd = nativeFs.openSync(`${folder}/${segmentFile(lane, this.#segment, false)}`, 'wx', 0o600);
    writeFully(this.#fd, head, 0);
    this.#segmentBytes = head.length;
  }

  #sealSegment(): void {
    this.#checkpoint();
    const { folder, lane } = this.#options;
    nativeFs.fsyncSync(this.#fd);
    nativeFs.closeSync(this.#fd);
    nativeFs.renameSync(`${folder}/${segmentFile(lane, this.#segment, false)}`, `${folder}/${segmentFile(lane, this.#segment, true)}`);
  }

  #guarded(write: () => void): void {
    if (this.#failed) return;
    try {
      write();
    } catch (error) {
      // The program is at the end of its stack, and would overflow in its own next call; the disk is well.
      if (isOverflow(error)) throw error;
      this.#failed = true;
      this.#whole = 0;
      this.lost++;
      this.#options.onLost((error as Error).message);
    }
  }
}

/** Far more than a checkpoint and the change to a new segment take. */
const STACK_LEVELS = 150;

/**
 * Overflows now rather than in the middle of something that cannot be done by halves.
 * @throws RangeError as the program's own next calls would
 */
function requireStack(levels: number): number {
  return levels === 0 ? 0 : requireStack(levels - 1) + 1;
}

function isOverflow(error: unknown): boolean {
  return (error as Error).message === 'Maximum call stack size exceeded';
}

/** At its place, so that writing the same again does no harm. */
function writeFully(fd: number, bytes: Uint8Array, place: number): void {
  let at = 0;
  while (at < bytes.length) at += nativeFs.writeSync(fd, bytes, at, bytes.length - at, place + at);
}
