/** The lists of a run, such as the messages of its conversations, out of their parts (ingest/packs.ts). */
import { IntegrityError } from '../../model/error.ts';
import { type Blob, decodeBlob, hashOf } from '../ingest/blob-codec.ts';
import { type Manifest, listOf } from '../ingest/manifests.ts';
import { membersIn, type Moved, rangeIn } from '../ingest/packs.ts';
import type { Database } from './database.ts';

/** In a pack: its JSON. Else it is a blob. */
export interface ListMember {
  readonly hash: string;
  readonly json?: string;
}

interface Part {
  readonly lane: number;
  readonly role: string;
  readonly step: number;
  readonly root: number;
  readonly kept: number;
  readonly added: readonly Buffer[];
}

export class Lists {
  readonly #run: string;
  readonly #parts: readonly Part[];
  readonly #packs: ReadonlyMap<number, Blob>;
  readonly #unpacked = new Map<number, readonly ListMember[]>();

  private constructor(run: string, parts: readonly Part[], packs: ReadonlyMap<number, Blob>) {
    this.#run = run;
    this.#parts = parts;
    this.#packs = packs;
  }

  /** @param run all of its lanes; `lane`: of one */
  static async of(database: Database, run: string, lane?: number): Promise<Lists> {
    const parts = await database.query<Part>('SELECT lane, role, step, root, kept, added FROM replay_harness.context_manifests WHERE run_id = $1 AND ($2::int IS NULL OR lane = $2) ORDER BY lane, role, step', [run, lane ?? null]);
    const roles = [...new Set(parts.map(({ role }) => role))];
    const packs = roles.length === 0 ? [] : await database.query<Blob & { readonly number: number }>(
      `SELECT s.position AS number, encode(b.hash, 'hex') AS hash, b.codec, b.size, b.bytes FROM replay_harness.step_blobs s JOIN replay_harness.blobs b ON b.hash = s.hash WHERE s.run_id = $1 AND s.role = ANY ($2)`, [run, roles],
    );
    return new Lists(run, parts, new Map(packs.map(({ number, ...blob }) => [number, blob])));
  }

  /** Hashes, in hex, that its parts name themselves, and what the packs hold. */
  get named(): { readonly hashes: readonly string[]; readonly packed: readonly string[] } {
    const hashes = this.#parts.flatMap(({ added }) => added.filter((element) => !rangeIn(element)).map((element) => element.toString('hex')));
    return { hashes, packed: [...this.#packs.keys()].flatMap((number) => this.#membersOf(number).map(({ json = '' }) => json)) };
  }

  /** @throws IntegrityError when a part of it is missing or damaged */
  list(lane: number, { path, list }: Moved, step: number): readonly ListMember[] {
    const parts = this.#parts.filter((part) => part.lane === lane && part.role === path);
    if (!list) return listOf(step, parts.map(({ added, ...part }): Manifest => ({ ...part, added: added.map((element) => element.toString('hex')) }))).map((hash) => ({ hash }));
    const members: ListMember[] = [];
    for (const { root, step: from, kept, added } of parts) {
      if (root !== list.root || from > step || kept >= list.count) continue;
      let place = kept;
      for (const element of added) for (const member of this.#expanded(element)) members[place++] ??= member;
    }
    if (members.length < list.count || Object.keys(members).length < members.length) throw new IntegrityError(`The list of step ${lane === 0 ? '' : `${lane}:`}${step} of run ${this.#run} lacks a part.`);
    return members.slice(0, list.count);
  }

  #expanded(element: Buffer): readonly ListMember[] {
    const range = rangeIn(element);
    if (!range) return [{ hash: element.toString('hex') }];
    const members = this.#membersOf(range.pack).slice(range.from, range.from + range.count);
    if (members.length < range.count) throw new IntegrityError(`Pack ${range.pack} of run ${this.#run} lacks a member.`);
    return members;
  }

  #membersOf(number: number): readonly ListMember[] {
    const known = this.#unpacked.get(number);
    if (known) return known;
    const blob = this.#packs.get(number);
    if (!blob) throw new IntegrityError(`Pack ${number} of run ${this.#run} is missing.`);
    const members = membersIn(decodeBlob(blob)).map((json) => ({ hash: hashOf(json), json }));
    this.#unpacked.set(number, members);
    return members;
  }
}
