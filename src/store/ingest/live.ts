/**
 * What a running program has recorded so far, brought to the server as it lies in the spool: sealed, so that nothing can be
 * read that is not masked yet (which values are secrets is known for sure when the run has ended). Who has the key reads steps
 * out of it.
 */
import { segmentFile, type SealedKey } from '../../journal/format.ts';
import { readSegments } from '../../journal/reader.ts';
import type { RunManifest } from '../../model/run.ts';
import { bufferAlloc, nativeFs } from '../../runtime/natives.ts';
import type { Database } from '../sql/database.ts';
import { lanesIn } from './read-run.ts';
import { openRun } from './run-row.ts';

/** Bytes of one statement, at most. */
const MOST = 1024 * 1024;

interface Chunk {
  readonly lane: number;
  readonly segment: number;
  readonly from: number;
  readonly bytes: Buffer;
}

/** Of one run, by the process that records it. */
export class LiveTape {
  readonly #folder: string;
  readonly #manifest: RunManifest;
  /** Of each lane that part of a segment is on the server. */
  readonly #sent = new Map<number, { segment: number; bytes: number }>();
  /** What may have arrived, or not: it is sent again as it was. */
  #pending: Chunk | undefined;
  #isOpen = false;

  constructor(folder: string, manifest: RunManifest) {
    this.#folder = folder;
    this.#manifest = manifest;
  }

  /** Sends what has been recorded since. @param isOver asked between statements @throws StoreUnavailableError: it can be called again */
  async send(database: Database, isOver: () => boolean): Promise<void> {
    if (!this.#isOpen) {
      const keys = this.#keys();
      if (keys.length === 0) return;
      await database.transaction((inside) => openRun(inside, { manifest: this.#manifest, keys, status: 'truncated', lanes: [], facts: undefined, runKey: undefined }, []));
      this.#isOpen = true;
    }
    for (let chunk = this.#pending ?? this.#next(); chunk && !isOver(); chunk = this.#next()) {
      this.#pending = chunk;
      const { lane, segment, from, bytes } = chunk;
      await database.query('INSERT INTO replay_harness.live_tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING', [this.#manifest.id, lane, segment, from, bytes]);
      this.#sent.set(lane, { segment, bytes: from + bytes.length });
      this.#pending = undefined;
    }
  }

  #keys(): readonly SealedKey[] {
    return readSegments(this.#folder, 0)[0]?.header.keys ?? [];
  }

  #next(): Chunk | undefined {
    for (const lane of lanesIn(this.#folder)) {
      let { segment, bytes: from } = this.#sent.get(lane) ?? { segment: 0, bytes: 0 };
      for (;;) {
        const bytes = this.#read(lane, segment, from);
        if (bytes.length > 0) return { lane, segment, from, bytes };
        // The recorder begins a segment when it has sealed the one before.
        if (!this.#exists(lane, segment + 1)) break;
        segment++;
        from = 0;
      }
    }
    return undefined;
  }

  #read(lane: number, segment: number, from: number): Buffer {
    for (const isSealed of [false, true]) {
      let fd: number;
      try {
        fd = nativeFs.openSync(`${this.#folder}/${segmentFile(lane, segment, isSealed)}`, 'r');
      } catch {
        // It is the other one, or has just become it.
        continue;
      }
      try {
        const bytes = bufferAlloc(Math.max(0, Math.min(MOST, nativeFs.fstatSync(fd).size - from)));
        return bytes.length === 0 ? bytes : bytes.subarray(0, nativeFs.readSync(fd, bytes, 0, bytes.length, from));
      } finally {
        nativeFs.closeSync(fd);
      }
    }
    return bufferAlloc(0);
  }

  #exists(lane: number, segment: number): boolean {
    return [true, false].some((isSealed) => nativeFs.existsSync(`${this.#folder}/${segmentFile(lane, segment, isSealed)}`));
  }
}
