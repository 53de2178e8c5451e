/** What goes into SQLite, as the journal keeps it. */
import { bufferFrom, jsonStringify, nativeCrypto } from '../../runtime/natives.ts';

/** Longer ones stand in a key by their digest. */
const LARGEST_BYTES = 512;

/** The key of a call: what was called and with what. */
export function keyOf(method: string, args: readonly unknown[]): string {
  return jsonStringify([method, ...args.map(shown)]);
}

/** An argument, as JSON can carry it. */
function shown(arg: unknown): unknown {
  if (arg instanceof URL) return arg.href;
  if (typeof arg !== 'object' || arg === null || ArrayBuffer.isView(arg)) return scalar(arg);
  return Array.isArray(arg) ? arg.map(scalar) : Object.fromEntries(Object.entries(arg).map(([name, value]) => [name, scalar(value)]));
}

function scalar(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return bytes(value);
  if (typeof value === 'bigint') return { bigint: String(value) };
  // JSON has none of these numbers.
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) return { number: Object.is(value, -0) ? '-0' : String(value) };
  return typeof value === 'function' || typeof value === 'symbol' || typeof value === 'object' ? null : value;
}

function bytes(view: ArrayBufferView): unknown {
  const content = bufferFrom(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
  if (content.length <= LARGEST_BYTES) return { bytes: content.toString('base64') };
  return { length: content.length, sha256: nativeCrypto.createHash('sha256').update(content).digest('hex') };
}
