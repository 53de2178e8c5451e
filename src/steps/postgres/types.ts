/** Values of PostgreSQL's common types, for people; of all others the text that the server wrote. */
import { bufferFrom, NativeDate } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import { parseShallowJson } from '../json.ts';

const BOOL = 16, BYTEA = 17, INT8 = 20, INT2 = 21, INT4 = 23, OID = 26, JSON = 114, FLOAT4 = 700, FLOAT8 = 701, DATE = 1082, TIMESTAMP = 1114, TIMESTAMPTZ = 1184, UUID = 2950, JSONB = 3802;
/** name, text, bpchar, varchar, unknown, xml */
const TEXTS: ReadonlySet<number> = new Set([19, 25, 1042, 1043, 705, 142]);
/** Array types, and what they hold. */
const ARRAYS: Readonly<Record<number, number>> = {
  1000: BOOL, 1001: BYTEA, 1005: INT2, 1007: INT4, 1016: INT8, 1028: OID, 1021: FLOAT4, 1022: FLOAT8, 199: JSON, 3807: JSONB,
  1009: 25, 1015: 1043, 1014: 1042, 1003: 19, 1231: 1700, 1182: DATE, 1115: TIMESTAMP, 1185: TIMESTAMPTZ, 2951: UUID,
};
/** PostgreSQL has no deeper arrays. */
const DEPTH = 6;
const ARRAY_CHARACTERS = 1_000_000;
const EPOCH_MS = NativeDate.UTC(2000, 0, 1);
const DAY_MS = 86_400_000;

/** @param format 0: text, 1: binary */
export function showColumn(type: number, format: number, bytes: Buffer | null): unknown {
  if (bytes === null) return null;
  return format === 1 ? showBinary(type, bytes) : showText(type, bytes.utf8Slice());
}

function showText(type: number, text: string): unknown {
  switch (type) {
    case BOOL:
      return text === 't' ? true : text === 'f' ? false : text;
    case INT2:
    case INT4:
    case INT8:
    case OID:
    case FLOAT4:
    case FLOAT8:
      return showNumber(text);
    case JSON:
    case JSONB:
      return parseShallowJson(text) ?? text;
    case BYTEA:
      return /^\\x(?:[0-9a-f]{2})*$/.test(text) ? showBytes(bufferFrom(text.slice(2), 'hex')) : text;
    default: {
      const element = ARRAYS[type];
      return element === undefined ? text : (showArray(element, text) ?? text);
    }
  }
}

/** A number that JSON and a double can hold, else its digits. */
function showNumber(text: string): unknown {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) && (Number.isSafeInteger(value) || /[.e]/.test(text)) ? value : text;
}

function showBinary(type: number, bytes: Buffer): unknown {
  if (TEXTS.has(type)) return bytes.utf8Slice();
  switch (`${type}/${bytes.length}`) {
    case `${BOOL}/1`:
      return bytes[0] === 1;
    case `${INT2}/2`:
      return bytes.readInt16BE(0);
    case `${INT4}/4`:
      return bytes.readInt32BE(0);
    case `${OID}/4`:
      return bytes.readUInt32BE(0);
    case `${INT8}/8`:
      return showNumber(String(bytes.readBigInt64BE(0)));
    case `${FLOAT4}/4`:
      return showNumber(String(bytes.readFloatBE(0)));
    case `${FLOAT8}/8`:
      return showNumber(String(bytes.readDoubleBE(0)));
    case `${UUID}/16`:
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    case `${DATE}/4`:
      return showTime(EPOCH_MS + bytes.readInt32BE(0) * DAY_MS)?.slice(0, 10) ?? showBytes(bytes);
    case `${TIMESTAMP}/8`:
    case `${TIMESTAMPTZ}/8`:
      return showTime(EPOCH_MS + Number(bytes.readBigInt64BE(0)) / 1000) ?? showBytes(bytes);
    default:
      if (type === JSON) return parseShallowJson(bytes.utf8Slice()) ?? bytes.utf8Slice();
      if (type === JSONB && bytes[0] === 1) return parseShallowJson(bytes.utf8Slice(1)) ?? bytes.utf8Slice(1);
      return showBytes(bytes);
  }
}

function showTime(ms: number): string | undefined {
  const date = new NativeDate(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** `{1,"a b",NULL,{…}}`. @returns undefined where the text is no such literal */
function showArray(element: number, text: string): unknown[] | undefined {
  if (text.length > ARRAY_CHARACTERS) return undefined;
  const stack: unknown[][] = [];
  const tokens = /\{|\}|,|"([^"\\]*(?:\\.[^"\\]*)*)"|([^{},"\\]+)/gys;
  tokens.lastIndex = /^(?:\[-?\d+:-?\d+\])+=/.exec(text)?.[0].length ?? 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [whole, quoted, bare] = token;
    const list = stack.at(-1);
    if (whole === '{') {
      const inner: unknown[] = [];
      list?.push(inner);
      if (stack.push(inner) > DEPTH) return undefined;
    } else if (whole === '}') {
      stack.pop();
      if (stack.length === 0) return list && tokens.lastIndex === text.length ? list : undefined;
    } else if (whole !== ',') {
      if (!list) return undefined;
      list.push(bare === 'NULL' ? null : showText(element, quoted?.replace(/\\(.)/gs, '$1') ?? (bare as string)));
    }
  }
  return undefined;
}
