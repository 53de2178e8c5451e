/** What the ingester needs of others, put together in one place for the command line and for the thread that ships. */
import { RandomStream } from '../../capture/random.ts';
import type { Config } from '../../model/config.ts';
import { embedderOf } from '../../analysis/embedding-endpoint.ts';
import { maskerFor } from '../masking/find-secrets.ts';
import { maskSteps } from '../masking/masker.ts';
import { sealVault } from '../masking/vault.ts';
import type { IngestTools } from './ingest.ts';

/** @param config rules for masking beside the built-in ones, and who makes the vectors @param env holds the key of an endpoint */
export function ingestTools({ mask, search }: Pick<Config, 'mask' | 'search'>, env: Readonly<Record<string, string | undefined>>): IngestTools {
  return {
    random: (seed) => new RandomStream(seed).next,
    embedder: embedderOf(search, env),
    maskerOf: ({ lanes, runKey }) => {
      const masker = maskerFor(lanes.map(({ events }) => events), { ...(mask && { mask }), key: runKey });
      return { text: (value) => masker.text(value), steps: (steps) => maskSteps(masker, steps), vault: runKey ? sealVault(masker, runKey) : [] };
    },
  };
}
