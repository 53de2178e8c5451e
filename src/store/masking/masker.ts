/** Keeps the secrets of one run out of whatever is made of it. */
import { hkdfKey } from './key.ts';
import { maskAcross, maskMembers } from './json-mask.ts';
import { maskPacked } from './packed.ts';
import { PatternSearch } from './search.ts';
import type { Secret, StandIn } from './secret.ts';
import { standInFor } from './stand-in.ts';
import { CutEnds } from './cut-ends.ts';
import { patternsOf } from './variants.ts';
import { isWellFormed } from './worth.ts';

export interface Masker {
  /** Every known secret in every form of it is replaced; a text without any comes back as it is. */
  text(value: string): string;
  /** A JSON value; what holds no secret is not copied. Secrets that are cut between the items of a stream of events are found, too. */
  json(value: unknown): unknown;
  /** @param encodings content encodings in the order of their application; without them gzip and zlib are known by their first bytes */
  bytes(value: Buffer, encodings?: readonly string[]): Buffer;
  /** Replaces in place, also across the borders of the pieces. Of plain bytes only. @returns whether anything was replaced */
  pieces(pieces: readonly Buffer[]): boolean;
  /** For bytes that come piece by piece: a secret may be cut between any two. */
  stream(): MaskStream;
  /** By the text that stands in. */
  standIns(): ReadonlyMap<string, StandIn>;
}

export interface MaskStream {
  /** @returns what can be told already: nothing in it belongs to a secret that is not whole yet */
  push(piece: Buffer): Buffer;
  /** @returns the rest */
  end(): Buffer;
}

const LONE_SURROGATE = /([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/;

/**
 * @param key what stand-ins are drawn from; 16 bytes or more that nobody who reads them can guess. One key gives one stand-in
 *   for one secret.
 */
export function createMasker(secrets: readonly Secret[], key: Uint8Array): Masker {
  const drawn = hkdfKey(key);
  const taken = new Set<string>();
  const standIns = [...secrets].sort(byLength).map((secret) => standInFor(secret, drawn, taken));
  return new SecretMasker(standIns);
}

/** The longest first; of one length in an order that does not depend on where they were found. */
function byLength(a: Secret, b: Secret): number {
  return b.value.length - a.value.length || (a.value < b.value ? -1 : 1);
}

class SecretMasker implements Masker {
  readonly #search: PatternSearch;
  readonly #cutEnds: CutEnds;
  readonly #standIns: ReadonlyMap<string, StandIn>;

  constructor(standIns: readonly StandIn[]) {
    const patterns = patternsOf(standIns);
    this.#search = new PatternSearch(patterns);
    this.#cutEnds = new CutEnds(standIns);
    this.#standIns = new Map(standIns.map((standIn) => [standIn.standIn, standIn]));
  }

  standIns(): ReadonlyMap<string, StandIn> {
    return this.#standIns;
  }

  text(value: string): string {
    if (this.#standIns.size === 0) return value;
    if (!isWellFormed(value)) return value.split(LONE_SURROGATE).map((part) => (isWellFormed(part) ? this.text(part) : part)).join('');
    const bytes = Buffer.from(value);
    const masked = this.#search.replaceIn(bytes) > 0 ? bytes.utf8Slice() : value;
    return this.#cutEnds.mask(masked);
  }

  json(value: unknown): unknown {
    return this.#standIns.size === 0 ? value : maskMembers(value, this);
  }

  bytes(value: Buffer, encodings?: readonly string[]): Buffer {
    if (this.#standIns.size === 0) return value;
    return maskPacked(value, encodings, (plain) => this.#plain(plain));
  }

  pieces(pieces: readonly Buffer[]): boolean {
    if (pieces.length === 1) return this.#search.replaceIn(pieces[0] as Buffer) > 0;
    const whole = Buffer.concat(pieces);
    if (this.#search.replaceIn(whole) === 0) return false;
    let at = 0;
    for (const piece of pieces) {
      whole.copy(piece, 0, at, at + piece.length);
      at += piece.length;
    }
    return true;
  }

  stream(): MaskStream {
    return new HeldBack(this.#search);
  }

  #plain(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    return this.#search.replaceIn(copy) > 0 ? copy : bytes;
  }
}

/** Holds back what may be the beginning of a secret, and one byte more, which a secret in base64 may share. */
class HeldBack implements MaskStream {
  readonly #search: PatternSearch;
  #held: Buffer = Buffer.alloc(0);
  /** Where the search goes on. */
  #from = 0;

  constructor(search: PatternSearch) {
    this.#search = search;
  }

  push(piece: Buffer): Buffer {
    const bytes = Buffer.concat([this.#held, piece]);
    const settled = Math.max(this.#from, bytes.length - this.#search.longest);
    this.#search.replaceIn(bytes, this.#from, settled);
    const released = Math.max(0, settled - 1);
    this.#held = bytes.subarray(released);
    this.#from = settled - released;
    return bytes.subarray(0, released);
  }

  end(): Buffer {
    const rest = Buffer.from(this.#held);
    this.#search.replaceIn(rest, this.#from);
    return rest;
  }
}

/** Steps in order: what one stream printed or brought in several of them is looked at as one text. */
export function maskSteps<S extends { readonly boundary: string }>(masker: Masker, steps: readonly S[]): S[] {
  const masked = [...steps];
  for (const boundary of STREAMS) {
    const places = steps.flatMap((step, index) => (step.boundary === boundary ? [index] : []));
    const across = maskAcross(places.map((place) => steps[place]), (text) => masker.text(text));
    for (const [index, place] of places.entries()) masked[place] = across[index] as S;
  }
  return masked.map((step) => masker.json(step) as S);
}

const STREAMS = ['stdout', 'stderr', 'stdin', 'websocket'] as const;
