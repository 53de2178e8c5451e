import { expect, it } from 'vitest';
import { isCompactText } from '../../src/model/compact.ts';
import { decodeOutcome, encodeOutcome } from '../../src/model/value.ts';

it('what a read answered and put into the program’s buffers comes back, in short and as it was written before', () => {
  for (const length of [0, 1, 4096, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    const encoded = encodeOutcome({ result: length, bytes });
    expect(encoded.length).toBe(length + 1);
    expect(isCompactText(encoded)).toBe(true);
    const outcome = decodeOutcome(encoded) as { result: unknown; bytes: Uint8Array };
    expect(outcome.result).toBe(length);
    expect(Buffer.from(outcome.bytes).equals(bytes)).toBe(true);
  }
  const other = decodeOutcome(encodeOutcome({ result: [3, 'name'], bytes: Uint8Array.of(1, 2) })) as { result: unknown; bytes: Uint8Array };
  expect([other.result, [...other.bytes]]).toEqual([[3, 'name'], [1, 2]]);
});

it('values that are encoded one after the other do not overwrite each other', () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => `text ${index} ${'ü'.repeat(index % 40)}${index % 7 === 0 ? '✓' : ''}`);
  const encoded = texts.map((text) => encodeOutcome({ result: text }));
  expect(encoded.map((data) => (decodeOutcome(data) as { result: unknown }).result)).toEqual(texts);
  for (const value of [undefined, null, true, false, 1.5, 2n, '']) expect(decodeOutcome(encodeOutcome({ result: value }))).toMatchObject({ result: value });
});
