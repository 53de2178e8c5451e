/** A packed tape is the journal's very bytes again, in pieces of any size; an altered or missing one is found. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createKeyPair, openKey, readerOf, sealKey } from '../../src/journal/crypto.ts';
import { isPacked, joinPieces, type Piece, packPiece, segmentOf } from '../../src/journal/packed.ts';
import { JournalWriter } from '../../src/journal/writer.ts';

const pair = createKeyPair();
const runKey = randomBytes(32);
const open = (keys: Parameters<typeof openKey>[0]): Buffer | undefined => openKey(keys, readerOf(pair.identity));

function journal(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const writer = new JournalWriter({ folder, run: '01234567-89ab-7def-8123-456789abcdef', lane: 0, runKey, keys: [sealKey(runKey, pair.recipient)], onLost: (reason) => { throw new Error(reason); } });
  const prompt = 'a prompt that is sent again with each call, and grows. '.repeat(40);
  for (let step = 1; step <= 60; step++) {
    writer.output(1, 'write', 0, Buffer.from(prompt.repeat(step)));
    writer.flush();
  }
  writer.seal();
  return readFileSync(join(folder, 'lane-0.0000.journal'));
}

function packed(raw: Buffer, size: number): Piece[] {
  const segment = segmentOf(raw);
  return Array.from({ length: Math.ceil(raw.length / size) }, (_, index) => {
    const fromByte = index * size;
    return { fromByte, bytes: packPiece({ fromByte, bytes: raw.subarray(fromByte, fromByte + size) }, segment, runKey) };
  });
}

test('the journal comes back byte for byte, whatever the pieces', () => {
  const raw = journal();
  for (const size of [raw.length, raw.length + 9, 1_000_003, 65_536, 50_001]) expect(joinPieces(packed(raw, size), open).equals(raw)).toBe(true);
  const few = raw.subarray(0, 9000);
  for (const size of [800, 1024, 4097]) expect(joinPieces(packed(few, size), open).equals(few)).toBe(true);
});

test('it is many times smaller, and not readable', () => {
  const raw = journal();
  const [piece] = packed(raw, raw.length) as [Piece];
  expect(raw.length / piece.bytes.length).toBeGreaterThan(50);
  expect(isPacked(piece.bytes) && !isPacked(raw)).toBe(true);
  expect(piece.bytes.includes('prompt')).toBe(false);
});

test('pieces of both sorts make one segment: who had no key left the first as it was', () => {
  const raw = journal();
  const pieces = packed(raw, 100_000).map((piece, index) => (index % 2 === 0 ? { ...piece, bytes: raw.subarray(piece.fromByte, piece.fromByte + 100_000) } : piece));
  expect(joinPieces(pieces, open).equals(raw)).toBe(true);
});

test('without a key the clear header is left, which says to whom it is sealed', () => {
  const raw = journal();
  const left = joinPieces(packed(raw, 100_000), () => undefined);
  expect(left.equals(raw.subarray(0, segmentOf(raw).headLength))).toBe(true);
  expect(segmentOf(left).header.keys[0]?.recipient).toBe(pair.recipient);
});

test('an altered, missing, swapped or cut piece is found', () => {
  const raw = journal();
  const pieces = packed(raw, 200_000);
  for (const at of [3, 20, 100, -1, -30]) {
    const altered = Buffer.from((pieces[1] as Piece).bytes);
    const index = at < 0 ? altered.length + at : at;
    altered[index] = (altered[index] as number) ^ 1;
    const whole = [pieces[0] as Piece, { ...(pieces[1] as Piece), bytes: altered }, ...pieces.slice(2)];
    // A piece that no longer looks packed is taken for the journal's own bytes: then those behind it do not join.
    expect(() => joinPieces(whole, open)).toThrow(/damaged/);
  }
  expect(() => joinPieces(pieces.filter((_, index) => index !== 1), open)).toThrow(/are missing/);
  const [first, second, ...others] = pieces as [Piece, Piece];
  expect(() => joinPieces([first, { ...second, bytes: first.bytes }, ...others], open)).toThrow(/damaged/);
});
