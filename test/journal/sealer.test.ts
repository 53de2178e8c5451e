import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { checksum } from '../../src/journal/checksum.ts';
import { Sealer } from '../../src/journal/sealer.ts';

/** Lengths around every border: none, a key stream's end, the longest small append, a full buffer, beyond it. */
const BORDERS = [1, 2047, 2048, 2049, 4095, 4096, 4097, 65_535, 65_536, 65_537, 200_000];

it('encrypts and hashes as OpenSSL does in one go, whatever the lengths', () => {
  for (const first of BORDERS) {
    for (const second of BORDERS) {
      const [key, iv] = [randomBytes(32), randomBytes(16)];
      const sealer = new Sealer(createCipheriv('aes-256-ctr', key, iv), createHash('sha256').update('head'));
      const [cipher, hash] = [createCipheriv('aes-256-ctr', key, iv), createHash('sha256').update('head')];
      for (const length of [7, first, 120, second, 33, 4000, 95, 2000]) {
        const clear = randomBytes(length + 5);
        sealer.seal(clear, length);
        const expected = cipher.update(clear.subarray(0, length));
        hash.update(expected);
        expect(sealer.bytes.subarray(sealer.from, sealer.to).equals(expected), `${first}, ${second}: ${length}`).toBe(true);
      }
      expect(sealer.digest().equals(hash.copy().digest())).toBe(true);
      expect(sealer.digest().equals(hash.digest())).toBe(true);
    }
  }
});

it('sums as zlib does, short or long', () => {
  const bytes = randomBytes(2000);
  for (let length = 0; length < 400; length++) expect(checksum(bytes, 3, 3 + length)).toBe(crc32(bytes.subarray(3, 3 + length)));
  expect(checksum(bytes, 0, 2000)).toBe(crc32(bytes));
});
