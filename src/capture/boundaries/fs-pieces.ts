/** What is read at once and is large goes to the journal in pieces, so that recording takes no memory beside what the program takes. */
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import type { Session } from '../session.ts';
import { fill } from './fs-bytes.ts';
import type { Call } from './fs-calls.ts';

/** Bytes, or characters. */
const PIECE = 1024 * 1024;
const KEY = '["piece"]';

export interface LargeResult {
  /** Recorded in its place; the pieces follow. */
  readonly announced: { readonly pieces: number; readonly result: number };
  readonly content: Uint8Array | string;
}

/** @returns undefined for a result that fits into one event */
export function largeResultOf({ name }: Call, outcome: Outcome): LargeResult | undefined {
  if ('error' in outcome) return undefined;
  const content = name === 'read' ? outcome.bytes : outcome.result;
  if ((!(content instanceof Uint8Array) && typeof content !== 'string') || content.length <= PIECE) return undefined;
  return { announced: { pieces: Math.ceil(content.length / PIECE), result: content.length }, content };
}

/** @param large the result itself, where it was read just now. @returns the result of the call */
export function readPieces(session: Session, { name, args }: Call, result: unknown, large: LargeResult | undefined): unknown {
  if (typeof result !== 'object' || result === null || !('pieces' in result)) return result;
  const announced = result as LargeResult['announced'];
  const texts: string[] = [];
  for (let piece = 0; piece < announced.pieces; piece++) {
    const { data } = session.value('fs-value', KEY, () => pieceOf((large as LargeResult).content, piece * PIECE));
    if (large) continue;
    if (name === 'read') fill(name, args, data, piece * PIECE);
    else texts.push((decodeOutcome(data) as { result: string }).result);
  }
  if (large) return typeof large.content === 'string' ? large.content : announced.result;
  return texts.length > 0 ? texts.join('') : announced.result;
}

function pieceOf(content: Uint8Array | string, from: number): { status: number; data: Uint8Array } {
  if (typeof content === 'string') return { status: 0, data: encodeOutcome({ result: content.slice(from, from + PIECE) }) };
  return { status: 0, data: content.subarray(from, from + PIECE) };
}
