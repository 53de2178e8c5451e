/** What a person sees of the bytes of a body. */
import { isUtf8 } from 'node:buffer';
import { nativeCrypto } from '../runtime/natives.ts';
import { parseEventStream } from './aws-event-stream.ts';
import { unpack } from './content-encoding.ts';
import { type Header, headerValue } from './http1-message.ts';
import { isDeep, parseJson, parseShallowJson } from './json.ts';
import { parseEvents } from './sse.ts';

export type BodyForm = 'empty' | 'json' | 'events' | 'lines' | 'text' | 'binary' | 'large';

export interface DecodedBody {
  readonly form: BodyForm;
  /**
   * `empty` null · `json` the value · `events` {@link EventList} · `lines` `{lines}` · `text` a string ·
   * `binary` `{base64, bytes}` · `large` `{bytes, sha256}` of what is too large to show
   */
  readonly value: unknown;
  /** What could not be decoded, in words. */
  readonly note: string | null;
}

/** Of anything but JSON; JSON is always shown, since prompts with images are. */
const SHOWN_BYTES = 16 * 1024 * 1024;
/** V8 has no longer strings. */
const STRING_BYTES = 0x1fff_ffe8;

export function decodeBody(raw: Buffer, headers: readonly Header[]): DecodedBody {
  if (raw.length === 0) return { form: 'empty', value: null, note: null };
  const { bytes, note, failed } = unpack(raw, headers);
  const type = mediaType(headers);
  if (!failed && type.name === 'application/vnd.amazon.eventstream') return { form: 'events', value: parseEventStream(bytes), note };
  const text = failed || bytes.length > STRING_BYTES ? undefined : decodeText(bytes, type);
  const decoded = text === undefined ? shownBytes(bytes) : shownText(text, bytes, type);
  return { ...decoded, note: note ?? decoded.note };
}

/** Bytes as text where they are text, else as {base64, bytes}. */
export function showBytes(bytes: Buffer): unknown {
  const text = bytes.length > SHOWN_BYTES ? undefined : decodeText(bytes, { name: '', charset: '' });
  return text ?? shownBytes(bytes).value;
}

interface MediaType {
  readonly name: string;
  readonly charset: string;
}

function mediaType(headers: readonly Header[]): MediaType {
  const [name = '', ...parameters] = (headerValue(headers, 'content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  return { name: name.trim(), charset: charset ?? '' };
}

function shownText(text: string, bytes: Buffer, { name }: MediaType): DecodedBody {
  if (name === 'text/event-stream') return { form: 'events', value: parseEvents(text), note: null };
  if (/(?:x-ndjson|jsonl|json-seq|json-lines)$/.test(name)) return { form: 'lines', value: { lines: parseLines(text) }, note: null };
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (/[/+]json$/.test(name) || /^\s*[[{]/.test(plain)) {
    const deep = isDeep(plain);
    const value = deep ? undefined : parseJson(plain);
    if (value !== undefined) return { form: 'json', value, note: null };
    if (deep) return { form: 'text', value: text, note: 'JSON nested too deep to be shown as a value' };
  }
  return bytes.length > SHOWN_BYTES ? shownBytes(bytes) : { form: 'text', value: text, note: null };
}

function parseLines(text: string): unknown[] {
  return text.split(/[\n\x1e]+/).filter((line) => line.trim() !== '').map((line) => parseShallowJson(line) ?? line);
}

function shownBytes(bytes: Buffer): DecodedBody {
  if (bytes.length <= SHOWN_BYTES) return { form: 'binary', value: { base64: bytes.toString('base64'), bytes: bytes.length }, note: null };
  const sha256 = nativeCrypto.createHash('sha256').update(bytes).digest('hex');
  return { form: 'large', value: { bytes: bytes.length, sha256 }, note: null };
}

/** @returns undefined where the bytes are not text in the charset they claim. */
function decodeText(bytes: Buffer, { name, charset }: MediaType): string | undefined {
  if (charset !== '' && !/^utf-?8$/.test(charset)) return decodeCharset(bytes, charset);
  const declared = /^text\/|json|[/+](?:xml|javascript)$|x-www-form-urlencoded$/.test(name);
  const whole = declared ? withoutCutCharacter(bytes) : bytes;
  return isUtf8(whole) && (declared || !whole.includes(0)) ? whole.utf8Slice() : undefined;
}

/** A text that was cut off may end within a character. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let tail = 1; tail <= Math.min(3, bytes.length); tail++) {
    const lead = bytes[bytes.length - tail] as number;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (length > tail) return bytes.subarray(0, bytes.length - tail);
    if (lead < 0x80 || lead >= 0xc0) break;
  }
  return bytes;
}

function decodeCharset(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
