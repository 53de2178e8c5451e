/** The sealed journal of a run, piece by piece: packed where the run key is at hand, else as it lies on disk. */
import { type PackedSegment, packPiece, segmentOf } from '../../journal/packed.ts';
import { segmentFile } from '../../journal/format.ts';
import { nativeFs } from '../../runtime/natives.ts';
import type { Database } from '../sql/database.ts';
import { lanesIn } from './read-run.ts';

/** One statement holds a piece, twice as long in hexadecimal. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** @param stored segments whose last piece is stored: `LANE SEGMENT` */
export async function storeTape(database: Database, run: string, folder: string, runKey: Buffer | undefined, stored: ReadonlySet<string>): Promise<void> {
  for (const lane of lanesIn(folder)) {
    for (let segment = 0; ; segment++) {
      const file = fileOf(folder, lane, segment);
      if (!file) break;
      if (stored.has(`${lane} ${segment}`)) continue;
      const raw = nativeFs.readFileSync(file.path);
      // A header that was cut off: nothing was recorded.
      if (raw.length === 0 || (!file.sealed && !holdsHeader(raw))) break;
      const packed: PackedSegment = segmentOf(raw);
      for (let from = 0; from < raw.length; from += PIECE_BYTES) {
        const piece = { fromByte: from, bytes: raw.subarray(from, from + PIECE_BYTES) };
        const bytes = runKey ? packPiece(piece, packed, runKey) : piece.bytes;
        await database.query('INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes, sealed) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING', [run, lane, segment, from, bytes, file.sealed && from + PIECE_BYTES >= raw.length]);
      }
    }
  }
}

function fileOf(folder: string, lane: number, segment: number): { path: string; sealed: boolean } | undefined {
  return [true, false].map((sealed) => ({ path: `${folder}/${segmentFile(lane, segment, sealed)}`, sealed })).find(({ path }) => nativeFs.existsSync(path));
}

function holdsHeader(raw: Buffer): boolean {
  try {
    return segmentOf(raw).headLength <= raw.length;
  } catch {
    return false;
  }
}
