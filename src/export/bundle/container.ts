/**
 * The file that is handed on (`.replay`).
 *
 *   "RHBNDL\r\n" · u16 version · u32 length · JSON {@link BundleHeader}     in clear
 *   body                                                                    brotli: u32 length · JSON index · payloads
 *
 * Numbers are little-endian. The header has a checksum of its own and holds that of the body, so that an altered byte is found
 * before anything is inflated.
 */
import { IntegrityError } from '../../model/error.ts';
import type { RunManifest, Underivable } from '../../model/run.ts';
import { bufferAlloc, bufferConcat, bufferFrom, jsonParse, jsonStringify, nativeCrypto } from '../../runtime/natives.ts';
import { compress, inflate, type PackedRun } from '../../store/packed-run.ts';

const MAGIC = 'RHBNDL\r\n';
/** Raise it when an older reader would misread. */
export const BUNDLE_VERSION = 1;
const PREFIX_BYTES = MAGIC.length + 6;

export interface BundleHeader {
  readonly content: 'exact' | 'stand-ins';
  /** The run that was exported; the others are below it. */
  readonly run: string;
  readonly runs: number;
  readonly madeBy: string;
  /** Bytes of the body, and of what it inflates to. */
  readonly packed: number;
  readonly bytes: number;
  /** Of the body, hex. */
  readonly sha256: string;
}

export interface BundledRun extends PackedRun {
  readonly manifest: RunManifest;
  readonly underivable?: readonly Underivable[];
}

export interface BundleEntry {
  readonly run: BundledRun;
  readonly payload: Buffer;
}

export interface Bundle {
  readonly header: BundleHeader;
  readonly entries: readonly BundleEntry[];
}

interface Indexed {
  readonly run: BundledRun;
  /** Length of its payload. */
  readonly bytes: number;
}

export function encodeBundle({ content, run, madeBy }: Pick<BundleHeader, 'content' | 'run' | 'madeBy'>, entries: readonly BundleEntry[]): Buffer {
  const index = bufferFrom(jsonStringify(entries.map(({ run: entry, payload }): Indexed => ({ run: entry, bytes: payload.length }))));
  const length = bufferAlloc(4);
  length.writeUInt32LE(index.length);
  const plain = bufferConcat([length, index, ...entries.map(({ payload }) => payload)]);
  const body = compress(plain);
  const header: BundleHeader = { content, run, runs: entries.length, madeBy, packed: body.length, bytes: plain.length, sha256: sha256(body) };
  const text = bufferFrom(jsonStringify({ ...header, check: checkOf(header) }));
  const head = bufferConcat([bufferFrom(MAGIC, 'latin1'), bufferAlloc(6), text]);
  head.writeUInt16LE(BUNDLE_VERSION, MAGIC.length);
  head.writeUInt32LE(text.length, MAGIC.length + 2);
  return bufferConcat([head, body]);
}

/**
 * @param most bytes that it may inflate to
 * @throws IntegrityError that says what is wrong with `file`
 */
export function decodeBundle(file: string, bytes: Buffer, most: number): Bundle {
  const wrong = (why: string): IntegrityError => new IntegrityError(`${file} ${why}`);
  if (bytes.length < PREFIX_BYTES || bytes.latin1Slice(0, MAGIC.length) !== MAGIC) throw wrong(isCut(bytes) ? 'is cut off: it ends within its first bytes.' : 'is no bundle of replay-harness: it does not begin with the signature of one. replay-harness export makes them.');
  const version = bytes.readUInt16LE(MAGIC.length);
  if (version !== BUNDLE_VERSION) throw wrong(`is a bundle of version ${version}; this replay-harness reads version ${BUNDLE_VERSION}. Update replay-harness to the version that exported it, or newer.`);
  const end = PREFIX_BYTES + bytes.readUInt32LE(MAGIC.length + 2);
  if (end > bytes.length) throw wrong('is cut off, or damaged: its header goes beyond its end.');
  const header = headerIn(bytes.utf8Slice(PREFIX_BYTES, end));
  if (!header) throw wrong('is damaged: the checksum of its header does not match.');
  const body = bytes.subarray(end);
  if (body.length < header.packed) throw wrong(`is cut off: ${body.length} of ${header.packed} bytes are there.`);
  if (body.length > header.packed || sha256(body) !== header.sha256) throw wrong('is damaged: its checksum does not match. Export it again.');
  if (header.bytes > most) throw wrong(`inflates to ${header.bytes} bytes; the disk cap of the store is ${most}. If you trust where it comes from, raise limits.disk in replay-harness.json.`);
  try {
    return { header, entries: entriesIn(inflate(body, header.bytes)) };
  } catch (error) {
    throw error instanceof IntegrityError ? wrong(`is damaged: ${error.message}.`) : error;
  }
}

function entriesIn(plain: Buffer): BundleEntry[] {
  const outside = (): IntegrityError => new IntegrityError('its index does not fit what it holds');
  if (plain.length < 4) throw outside();
  let at = 4 + plain.readUInt32LE(0);
  if (at > plain.length) throw outside();
  let index: readonly Indexed[];
  try {
    index = jsonParse(plain.utf8Slice(4, at)) as readonly Indexed[];
  } catch {
    throw new IntegrityError('its index is not JSON');
  }
  if (!Array.isArray(index)) throw outside();
  const entries = index.map((entry): BundleEntry => {
    const { run, bytes } = (entry ?? {}) as Indexed;
    if (!Number.isSafeInteger(bytes) || bytes < 0 || at + bytes > plain.length) throw outside();
    return { run, payload: plain.subarray(at, (at += bytes)) };
  });
  if (at !== plain.length) throw outside();
  return entries;
}

function isCut(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes.length < PREFIX_BYTES && MAGIC.startsWith(bytes.latin1Slice(0, Math.min(bytes.length, MAGIC.length)));
}

function headerIn(text: string): BundleHeader | undefined {
  try {
    const { check, ...header } = jsonParse(text) as BundleHeader & { check?: string };
    return check === checkOf(header) && text === jsonStringify({ ...header, check }) ? header : undefined;
  } catch {
    return undefined;
  }
}

function checkOf(header: BundleHeader): string {
  return sha256(bufferFrom(jsonStringify(header)));
}

function sha256(bytes: Uint8Array): string {
  return nativeCrypto.createHash('sha256').update(bytes).digest('hex');
}
