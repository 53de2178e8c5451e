declare module 'seedrandom/lib/alea.js' {
  /** Numbers in [0, 1): the call itself has 32 bits, `double` 53. */
  interface Generator {
    (): number;
    double(): number;
  }
  export default function alea(seed: string): Generator;
}
