/**
 * One-byte tags before the results that synchronous calls mostly have: a structured clone of each would cost more than the
 * call itself. Everything else is a structured clone, which begins with 0xff.
 */
import { bufferAlloc, bufferFrom } from '../runtime/natives.ts';

const CLONE = 0xff;
/** Append only: journals hold these numbers. */
const TAG = { undefined: 0, null: 1, true: 2, false: 3, number: 4, latin1: 5, utf16: 6, bigint: 7, float64Array: 8, bigInt64Array: 9, bytes: 10, filled: 11 } as const;
/** Of values that are all the same. */
const [UNDEFINED, NULL, TRUE, FALSE] = [TAG.undefined, TAG.null, TAG.true, TAG.false].map((tag) => bufferFrom([tag])) as [Buffer, Buffer, Buffer, Buffer];
/** Encoded values lie side by side in one buffer: a buffer of its own for each of them would cost more than all else. */
const SLAB_BYTES = 64 * 1024;
/** Larger ones have one of their own. */
const SMALL_BYTES = 8 * 1024;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

let slab = bufferAlloc(0);
let slabUsed = 0;

/** @returns undefined where only a structured clone will do; else bytes that nobody writes to again */
export function encodeCompact(value: unknown): Buffer | undefined {
  switch (typeof value) {
    case 'undefined':
      return UNDEFINED;
    case 'boolean':
      return value ? TRUE : FALSE;
    case 'number': {
      const encoded = tagged(TAG.number, 8);
      encoded.writeDoubleLE(value, 1);
      return encoded;
    }
    case 'string':
      return encodeText(value);
    case 'bigint': {
      if (value < MIN_INT64 || value > MAX_INT64) return undefined;
      const encoded = tagged(TAG.bigint, 8);
      encoded.writeBigInt64LE(value, 1);
      return encoded;
    }
    default:
      return value === null ? NULL : encodeArray(value as object);
  }
}

/** Bytes that a call filled in, with no other result. */
export function encodeBytes(bytes: Uint8Array): Buffer {
  return withBytes(TAG.bytes, bytes);
}

/** Bytes that a call filled in, which answered with their number. */
export function encodeFilled(bytes: Uint8Array): Buffer {
  return withBytes(TAG.filled, bytes);
}

export function isClone(data: Uint8Array): boolean {
  return data[0] === CLONE;
}

/** @returns whether a value in short is a text, or bytes */
export function isCompactText(data: Uint8Array): boolean {
  return data[0] === TAG.latin1 || data[0] === TAG.utf16 || data[0] === TAG.bytes || data[0] === TAG.filled;
}

/** @returns the value, or the bytes that were filled in */
export function decodeCompact(encoded: Uint8Array): { readonly result: unknown; readonly bytes?: Uint8Array } {
  const data = bufferFrom(encoded.buffer as ArrayBuffer, encoded.byteOffset, encoded.byteLength);
  switch (data[0]) {
    case TAG.undefined:
      return { result: undefined };
    case TAG.null:
      return { result: null };
    case TAG.true:
    case TAG.false:
      return { result: data[0] === TAG.true };
    case TAG.number:
      return { result: data.readDoubleLE(1) };
    case TAG.latin1:
      return { result: data.toString('latin1', 1) };
    case TAG.utf16:
      return { result: data.toString('utf16le', 1) };
    case TAG.bigint:
      return { result: data.readBigInt64LE(1) };
    case TAG.float64Array:
      return { result: new Float64Array(copyOf(data)) };
    case TAG.bigInt64Array:
      return { result: new BigInt64Array(copyOf(data)) };
    case TAG.bytes:
      return { result: undefined, bytes: data.subarray(1) };
    case TAG.filled:
      return { result: data.length - 1, bytes: data.subarray(1) };
    default:
      throw new RangeError(`a value of an unknown sort (${data[0]})`);
  }
}

function encodeText(text: string): Buffer {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 0xff) {
      const encoded = tagged(TAG.utf16, text.length * 2);
      encoded.write(text, 1, 'utf16le');
      return encoded;
    }
  }
  const encoded = tagged(TAG.latin1, text.length);
  encoded.write(text, 1, 'latin1');
  return encoded;
}

function encodeArray(value: object): Buffer | undefined {
  if (value instanceof Float64Array) return withBytes(TAG.float64Array, bytesOf(value));
  if (value instanceof BigInt64Array) return withBytes(TAG.bigInt64Array, bytesOf(value));
  return undefined;
}

function tagged(tag: number, size: number): Buffer {
  const encoded = place(size + 1);
  encoded[0] = tag;
  return encoded;
}

function place(size: number): Buffer {
  if (size > SMALL_BYTES) return bufferAlloc(size);
  if (slabUsed + size > slab.length) {
    slab = bufferAlloc(SLAB_BYTES);
    slabUsed = 0;
  }
  return slab.subarray(slabUsed, (slabUsed += size));
}

function withBytes(tag: number, bytes: Uint8Array): Buffer {
  const encoded = tagged(tag, bytes.length);
  encoded.set(bytes, 1);
  return encoded;
}

function bytesOf(array: Float64Array | BigInt64Array): Uint8Array {
  return bufferFrom(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
}

/** Without the tag, and aligned. */
function copyOf(data: Buffer): ArrayBuffer {
  return data.buffer.slice(data.byteOffset + 1, data.byteOffset + data.length) as ArrayBuffer;
}
