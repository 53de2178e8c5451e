/**
 * An anchor: what `check --json` said earlier, kept where the store's keeper cannot reach it. Whoever may write the store
 * can write it whole, with checksums that fit; the anchor still tells.
 */
import { readFileSync } from 'node:fs';
import { ConfigError } from '../model/error.ts';

export interface Anchored {
  readonly run: string;
  readonly status: string;
  /** SHA-256 over the journal's files; null: it could not be checked then. */
  readonly digest: string | null;
  /** Of what a server has read of the run; null, or not there: it had nothing, or nobody looked. */
  readonly chain?: string | null;
}

/** @returns what is anchored, by run @throws ConfigError */
export function readAnchor(file: string): ReadonlyMap<string, Anchored> {
  const wrong = (why: string): ConfigError => new ConfigError(`--anchor ${file}: ${why}. It takes what check printed earlier: replay-harness check --all --json > ${file === '' ? 'FILE' : file}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong((error as Error).message);
  }
  if (!Array.isArray(parsed)) throw wrong('it holds no list of runs');
  const entries = (parsed as readonly Partial<Anchored>[]).map((entry) => {
    if (typeof entry?.run !== 'string' || typeof entry.status !== 'string' || (entry.digest !== null && typeof entry.digest !== 'string') || (typeof (entry.chain ?? '') !== 'string')) throw wrong('an entry names no run, status and digest');
    return [entry.run, entry as Anchored] as const;
  });
  return new Map(entries);
}

/** What is there now. null: it could not be read, or is gone. */
export interface Digests {
  readonly digest: string | null;
  /** undefined: such a store keeps none. */
  readonly chain: string | null | undefined;
}

/** @returns what is wrong with a run that has these digests; undefined where nothing is, or nothing is known */
export function differsFrom(anchored: Anchored | undefined, { digest, chain }: Digests): string | undefined {
  // What was still being recorded has grown since.
  if (!anchored || anchored.status === 'recording') return undefined;
  if (anchored.digest !== null && digest !== null && anchored.digest !== digest) {
    return `the recording is not the one that was anchored: its digest is ${digest}, and was ${anchored.digest}. Every checksum in it fits, so it was rewritten as a whole.`;
  }
  if (typeof anchored.chain !== 'string' || chain === undefined || anchored.chain === chain) return undefined;
  if (chain === null) return 'what the store had read of it was anchored, and is not there any more.';
  return `what the store has read of it is not what was anchored: the head of the chain of its steps is ${chain}, and was ${anchored.chain}. Every checksum in it fits, so it was rewritten as a whole.`;
}

/** @returns whether an anchor holds something that can be compared with this */
export function isComparable(anchored: Anchored | undefined, { digest, chain }: Digests): boolean {
  return (digest !== null && typeof anchored?.digest === 'string') || (typeof chain === 'string' && typeof anchored?.chain === 'string');
}
