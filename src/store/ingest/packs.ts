/**
 * Long messages of conversations as packs: what a batch of steps adds is compressed together, since messages have more in
 * common with each other than any has within itself. A pack is a blob of the run, a JSON array with one message to a line.
 *
 * A list that grows from step to step is then, for each batch, one row of what it added in it (`context_manifests.added`):
 * hashes of blobs, and ranges of packs. A step's reading says which list is its own, and how far: `input.messages ROOT KEPT
 * COUNT`. Stores of older versions have a row for each step, hashes only, and a reading that says `input.messages`.
 */
import { type Blob, encodeBlob, hashOf } from './blob-codec.ts';
import type { Member } from './elide.ts';
import type { Manifest } from './manifests.ts';

/** What a step adds to its list. */
export interface Addition {
  readonly lane: number;
  readonly manifest: Manifest;
  /** Members that the run did not have before, and that are no blobs of their own. */
  readonly long: readonly Member[];
  /** The step is there, and what it adds to its list: by a version, perhaps, that knew no packs. */
  readonly isThere: boolean;
}

export interface Pack {
  /** The first step that a member of it is new in. */
  readonly lane: number;
  readonly step: number;
  /** From 0, of the whole run. */
  readonly number: number;
  readonly blob: Blob;
}

/** A row of `context_manifests`. */
export interface Part {
  readonly lane: number;
  readonly root: number;
  /** The first step that added something to it. */
  readonly step: number;
  /** Members before this part. */
  readonly kept: number;
  /** Hashes of 32 bytes, and ranges of {@link RANGE_BYTES}. */
  readonly added: readonly Buffer[];
}

/** u32 number of the pack · u32 its first member · u32 how many; big-endian. */
export const RANGE_BYTES = 12;

interface Range {
  readonly pack: number;
  readonly from: number;
  count: number;
}

/** Of one run: is given all its batches in their order, also those that are stored already. The same batches give the same packs. */
export class Packer {
  readonly #places = new Map<string, { readonly pack: number; readonly index: number }>();
  #number = 0;

  add(additions: readonly Addition[]): { readonly packs: readonly Pack[]; readonly parts: readonly Part[] } {
    const members: string[] = [];
    let first: Addition | undefined;
    for (const addition of additions) {
      for (const { hash, json } of addition.long) {
        first ??= addition;
        this.#places.set(hash, { pack: this.#number, index: members.length });
        members.push(json);
      }
    }
    const parts = this.#partsOf(additions.filter(({ isThere }) => !isThere));
    if (!first) return { packs: [], parts };
    const content = Buffer.from(`[${members.join(BETWEEN)}]`);
    const packs = [{ lane: first.lane, step: first.manifest.step, number: this.#number, blob: encodeBlob(content, 'json', hashOf(content), true) }];
    this.#number++;
    return { packs, parts };
  }

  #partsOf(additions: readonly Addition[]): Part[] {
    const parts = new Map<string, Omit<Part, 'added'> & { readonly added: (Buffer | Range)[] }>();
    for (const { lane, manifest: { step, root, kept, added } } of additions) {
      if (added.length === 0) continue;
      const key = `${lane} ${root}`;
      const part = parts.get(key) ?? { lane, root, step, kept, added: [] };
      parts.set(key, part);
      for (const hash of added) this.#addTo(part.added, hash);
    }
    return [...parts.values()].map((part) => ({ ...part, added: part.added.map((element) => (Buffer.isBuffer(element) ? element : rangeBytes(element))) }));
  }

  #addTo(elements: (Buffer | Range)[], hash: string): void {
    const place = this.#places.get(hash);
    const last = elements.at(-1);
    if (!place) elements.push(Buffer.from(hash, 'hex'));
    else if (last && !Buffer.isBuffer(last) && last.pack === place.pack && last.from + last.count === place.index) last.count++;
    else elements.push({ pack: place.pack, from: place.index, count: 1 });
  }
}

/** JSON holds no line end of its own. */
const BETWEEN = ',\n';

/** @param content of a pack's blob @returns the JSON of each member */
export function membersIn(content: Buffer): string[] {
  return content.toString().slice(1, -1).split(BETWEEN);
}

function rangeBytes({ pack, from, count }: Range): Buffer {
  const bytes = Buffer.alloc(RANGE_BYTES);
  bytes.writeUInt32BE(pack, 0);
  bytes.writeUInt32BE(from, 4);
  bytes.writeUInt32BE(count, 8);
  return bytes;
}

/** @param element of `added` @returns undefined: it is a hash */
export function rangeIn(element: Buffer): Readonly<Range> | undefined {
  if (element.length !== RANGE_BYTES) return undefined;
  return { pack: element.readUInt32BE(0), from: element.readUInt32BE(4), count: element.readUInt32BE(8) };
}

/** A step's list, as `step_readings.moved` tells it. */
export interface Moved {
  /** `input.messages` */
  readonly path: string;
  /** undefined: as older versions stored it. */
  readonly list: { readonly root: number; readonly kept: number; readonly count: number } | undefined;
}

export function movedText(path: string, { root, kept, added }: Manifest): string {
  return `${path} ${root} ${kept} ${kept + added.length}`;
}

export function movedIn(text: string): Moved {
  const [path = '', ...numbers] = text.split(' ');
  const [root, kept, count] = numbers.map(Number);
  return { path, list: root === undefined || kept === undefined || count === undefined ? undefined : { root, kept, count } };
}
