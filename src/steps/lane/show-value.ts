/** Values that JSON cannot carry, for people. */
import { toBuffer } from './draft.ts';
import { showBytes } from '../body.ts';

const DEPTH = 20;

/** @returns a JSON value that shows what `value` is. */
export function showValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : formatNumber(value);
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return showBytes(toBuffer(value));
  if (depth > DEPTH) return '…';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value as ArrayLike<unknown>, (item) => showValue(item, depth + 1));
  if (value instanceof Map) return showValue([...value], depth);
  if (value instanceof Set) return showValue([...value], depth);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (Object.prototype.toString.call(value) === '[object Date]') return String(value);
  if (isKey(value)) return { keyType: value.keyType, bytes: value.bytes.length };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, key === 'privateKey' && member instanceof Uint8Array ? '[masked]' : showValue(member, depth + 1)]));
}

/** A generated key: its kind may be shown, itself not. */
function isKey(value: object): value is { readonly keyType: unknown; readonly bytes: Uint8Array } {
  return 'keyType' in value && 'bytes' in value && value.bytes instanceof Uint8Array;
}

function formatNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
