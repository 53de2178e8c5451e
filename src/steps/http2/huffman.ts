/** The Huffman code of HPACK (RFC 7541 appendix B). It is canonical: the lengths of the codes say everything. */

/** Bits of each symbol's code, as runs of [length, how many symbols]; the last symbol ends a text. */
const RUNS =
  '13,1 23,1 28,7 24,1 30,1 28,2 30,1 28,8 30,1 28,9 6,1 10,2 12,1 13,1 6,1 8,1 11,1 10,2 8,1 11,1 8,1 6,3 5,3 6,7 7,1 8,1 15,1 6,1 12,1 10,1 13,1 6,1 7,22 8,1 7,1 8,1 13,1 19,1 13,1 14,1 6,1 15,1 ' +
  '5,1 6,1 5,1 6,1 5,1 6,3 5,1 7,2 6,3 5,1 6,1 7,1 6,1 5,2 6,1 7,5 15,1 11,1 14,1 13,1 28,1 20,1 22,1 20,2 22,3 23,1 22,1 23,5 24,1 23,1 24,2 22,1 23,1 24,1 23,4 21,1 22,1 23,1 22,1 23,2 24,1 22,1 21,1 20,1 22,2 23,2 21,1 23,1 22,2 24,1 21,1 22,1 23,2 ' +
  '21,2 22,1 21,1 23,1 22,1 23,2 20,1 22,3 23,1 22,2 23,1 26,2 20,1 19,1 22,1 23,1 22,1 25,1 26,3 27,2 26,1 24,1 25,1 19,1 21,1 26,1 27,2 26,1 27,1 24,1 21,2 26,2 28,1 27,3 20,1 24,1 20,1 21,1 22,1 21,2 23,1 22,2 25,2 24,2 26,1 23,1 26,1 27,1 26,2 27,5 28,1 27,5 26,1 30,1';

const lengths = (): readonly number[] => RUNS.split(' ').flatMap((run) => {
  const [length = 0, count = 0] = run.split(',').map(Number);
  return Array.from({ length: count }, () => length);
});
const END = 256;
const LONGEST = 30;

interface Length {
  /** Of the codes of this length. */
  readonly first: number;
  /** In the order of their codes. */
  readonly symbols: readonly number[];
}

/** Worked out with the first text: most commands meet none. */
let byLength: readonly Length[] | undefined;

function codes(): Length[] {
  const lengthOf = lengths();
  const codes: Length[] = [{ first: 0, symbols: [] }];
  let next = 0;
  for (let length = 1; length <= LONGEST; length++) {
    const symbols = lengthOf.flatMap((bits, symbol) => (bits === length ? [symbol] : []));
    next *= 2;
    codes.push({ first: next, symbols });
    next += symbols.length;
  }
  return codes;
}

/** @returns undefined where the bytes are not a text of this code */
export function decodeHuffman(bytes: Buffer): Buffer | undefined {
  byLength ??= codes();
  const decoded: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const { first, symbols } = byLength[length] as Length;
      const symbol = symbols[code - first];
      if (symbol !== undefined) {
        if (symbol === END) return undefined;
        decoded.push(symbol);
        code = 0;
        length = 0;
      } else if (length === LONGEST) return undefined;
    }
  }
  // What is left over is the beginning of the code that ends a text: ones only.
  return length < 8 && code === 2 ** length - 1 ? Buffer.from(decoded) : undefined;
}
