/**
 * The large parts of a reading by reference: each long text, each short message of a conversation, each picture is a blob, once
 * in the whole store; long messages are packed together (packs.ts). What is left fits a row, and keeps its shape for SQL.
 *
 *   {"$text": HASH, "length": N, "start": …}   a long text
 *   {"$bytes": HASH, "bytes": N}               what is shown as {"base64": …, "bytes": N}
 *   {"$json": HASH, "start": …}                any other large value
 *   {"$literal": {…}}                          an object of the program's own that looks like one of these
 */
import { cutAt, isObject, preview } from '../../steps/json.ts';
import { type Blob, decodeBlob, encodeBlob, hashOf, WORTH_TRYING } from './blob-codec.ts';
import { escapeText, unescapeText } from './jsonb-text.ts';

/** JSON that holds nothing which JSONB refuses. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

interface Limits {
  /** Longer texts are blobs, in characters. */
  readonly text: number;
  /** Longer lists are blobs, in characters of JSON. */
  readonly list: number;
}

/** Values stay in the row for SQL to look into. A row of the database's own costs about a hundred bytes. */
const IN_ROW: Limits = { text: 1024, list: 16 * 1024 };
/** What model calls repeat with each call: the list of tools. */
const IN_CALL: Limits = { text: 1024, list: 1024 };
/** Within a message, which is a blob itself: pictures and documents, which other messages may hold, too. */
const IN_MESSAGE: Limits = { text: 16 * 1024, list: 64 * 1024 };
/** The whole of a value: JSONB has its limits. */
const LARGEST = 64 * 1024;
const SHORTEST_BYTES = 1024;
const START = 120;
const MARKS: ReadonlySet<string> = new Set(['$text', '$bytes', '$json', '$literal']);
/** Texts whose hash is remembered, in characters. */
const REMEMBERED = 16 * 1024 * 1024;

export interface Elided {
  /** For JSONB; null: there is no value. */
  readonly text: string | null;
  /** Blobs that the run did not have before. */
  readonly blobs: readonly Blob[];
}

/** Members of a list. */
export interface Members {
  /** Of each member. */
  readonly hashes: readonly string[];
  /** Blobs that the run did not have before: short members, and what members name. */
  readonly blobs: readonly Blob[];
  /** Long members that the run did not have before, as JSON: several of them make a pack. */
  readonly long: readonly Member[];
}

export interface Member {
  /** SHA-256 of the JSON, hex. */
  readonly hash: string;
  readonly json: string;
}

export class Elider {
  readonly #handedOut: Set<string>;
  readonly #packed: Set<string>;
  readonly #texts = new Hashes();
  readonly #members = new Hashes();
  #blobs: Blob[] = [];
  #long: Member[] = [];

  /** @param handedOut hashes of blobs that the run has already; it grows @param packed of members that the run has in packs, likewise */
  constructor(handedOut: Set<string> = new Set(), packed: Set<string> = new Set()) {
    this.#handedOut = handedOut;
    this.#packed = packed;
  }

  elide(value: unknown, ofModel = false): Elided {
    if (value === null || value === undefined) return { text: null, blobs: [] };
    const { json } = this.#visit(value, ofModel ? IN_CALL : IN_ROW);
    const text = JSON.stringify(json);
    return { text: text.length > LARGEST ? JSON.stringify(this.#asJson(text, value)) : text, blobs: this.#take() };
  }

  members(list: readonly unknown[]): Members {
    const hashes = list.map((member) => this.#member(member));
    const long = this.#long;
    this.#long = [];
    return { hashes, blobs: this.#take(), long };
  }

  /** @returns JSON, and about how long it is */
  #visit(value: unknown, limits: Limits): { readonly json: Json; readonly size: number } {
    if (typeof value === 'string') return this.#string(value, limits);
    if (typeof value === 'number') return Number.isFinite(value) ? { json: value, size: 8 } : { json: null, size: 4 };
    if (typeof value === 'boolean') return { json: value, size: 5 };
    if (typeof value === 'bigint') return { json: String(value), size: 20 };
    if (Array.isArray(value)) return this.#array(value as readonly unknown[], limits);
    return isObject(value) ? this.#object(value, limits) : { json: null, size: 4 };
  }

  #string(text: string, { text: limit }: Limits): { readonly json: Json; readonly size: number } {
    const json = escapeText(text);
    if (text.length < limit) return { json, size: json.length + 2 };
    const hash = this.#texts.of(text, () => this.#keep(Buffer.from(json)));
    return { json: { $text: hash, length: text.length, start: escapeText(cutAt(text, START)) }, size: 250 };
  }

  #array(members: readonly unknown[], limits: Limits): { readonly json: Json; readonly size: number } {
    const visited = members.map((member) => this.#visit(member, limits));
    const json = visited.map((each) => each.json);
    const size = visited.reduce((sum, each) => sum + each.size + 1, 2);
    return size > limits.list ? { json: this.#asJson(JSON.stringify(json), members), size: 250 } : { json, size };
  }

  #object(value: Readonly<Record<string, unknown>>, limits: Limits): { readonly json: Json; readonly size: number } {
    const bytes = base64Bytes(value);
    if (bytes) return { json: { $bytes: this.#keep(bytes), bytes: bytes.length }, size: 100 };
    let size = 2;
    const json: Record<string, Json> = {};
    const names = Object.keys(value);
    for (const name of names) {
      if (value[name] === undefined) continue;
      const member = this.#visit(value[name], limits);
      const key = escapeText(name);
      size += key.length + 4 + member.size;
      // A property of this name would be the prototype.
      Object.defineProperty(json, key, { value: member.json, enumerable: true, configurable: true, writable: true });
    }
    return MARKS.has(names[0] ?? '') ? { json: { $literal: json }, size: size + 14 } : { json, size };
  }

  #asJson(text: string, value: unknown): { readonly [name: string]: Json } {
    return { $json: this.#keep(Buffer.from(text), 'json'), start: escapeText(preview(value, START)) };
  }

  /** A short one is a blob that SQL reads; of long ones little is left where they are compressed together. */
  #member(member: unknown): string {
    const json = JSON.stringify(this.#visit(member, IN_MESSAGE).json);
    return this.#members.of(json, () => {
      const content = Buffer.from(json);
      if (content.length < WORTH_TRYING) return this.#keep(content, 'json');
      const hash = hashOf(content);
      if (this.#handedOut.has(hash) || this.#packed.has(hash)) return hash;
      this.#packed.add(hash);
      this.#long.push({ hash, json });
      return hash;
    });
  }

  #keep(content: Buffer, plain?: 'json'): string {
    const hash = hashOf(content);
    if (this.#handedOut.has(hash)) return hash;
    this.#handedOut.add(hash);
    this.#blobs.push(encodeBlob(content, plain, hash));
    return hash;
  }

  #take(): readonly Blob[] {
    const blobs = this.#blobs;
    this.#blobs = [];
    return blobs;
  }
}

/** Of texts: a conversation repeats its own with each call. */
class Hashes {
  readonly #known = new Map<string, string>();
  #remembered = 0;

  of(text: string, make: () => string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#remembered > REMEMBERED) {
      this.#known.clear();
      this.#remembered = 0;
    }
    const hash = make();
    this.#remembered += text.length;
    this.#known.set(text, hash);
    return hash;
  }
}

export type BlobSource = (hash: string) => Blob;

/** @returns the value that was elided, as JSON shows it @throws IntegrityError when a part is damaged @throws Error of the source when one is missing */
export function restore(json: unknown, blob: BlobSource): unknown {
  if (typeof json === 'string') return unescapeText(json);
  if (Array.isArray(json)) return json.map((member) => restore(member, blob));
  if (!isObject(json)) return json;
  const [mark] = Object.keys(json);
  const named = json[mark ?? ''];
  const content = (): Buffer => decodeBlob(blob(named as string));
  switch (mark) {
    case '$text':
      return unescapeText(content().toString());
    case '$bytes':
      return { base64: content().toString('base64'), bytes: json['bytes'] };
    case '$json':
      return restore(JSON.parse(content().toString()), blob);
    case '$literal':
      return membersOf(named as Readonly<Record<string, unknown>>, blob);
    default:
      return membersOf(json, blob);
  }
}

/** @returns the hashes that a reading names itself, at any depth */
export function namedIn(json: unknown): string[] {
  return referencesIn(json).map(({ hash }) => hash);
}

export interface Reference {
  readonly hash: string;
  /** Its content is JSON that may name others. */
  readonly isJson: boolean;
}

/** @returns what a reading, or a blob of JSON, names itself, at any depth */
export function referencesIn(json: unknown): Reference[] {
  if (Array.isArray(json)) return json.flatMap(referencesIn);
  if (!isObject(json)) return [];
  const [mark] = Object.keys(json);
  if (mark === '$text' || mark === '$bytes' || mark === '$json') return [{ hash: json[mark] as string, isJson: mark === '$json' }];
  return Object.values(mark === '$literal' ? (json[mark] as object) : json).flatMap(referencesIn);
}

function membersOf(value: Readonly<Record<string, unknown>>, blob: BlobSource): Record<string, unknown> {
  const restored: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    Object.defineProperty(restored, unescapeText(name), { value: restore(member, blob), enumerable: true, configurable: true, writable: true });
  }
  return restored;
}

/** Of what is shown as bytes, and is base64 as we write it. */
function base64Bytes(value: Readonly<Record<string, unknown>>): Buffer | undefined {
  const { base64, bytes } = value;
  if (typeof base64 !== 'string' || base64.length < SHORTEST_BYTES || typeof bytes !== 'number' || Object.keys(value).join() !== 'base64,bytes') return undefined;
  const decoded = Buffer.from(base64, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === base64 ? decoded : undefined;
}
