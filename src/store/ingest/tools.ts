/** What the ingester needs of others, put together in one place for the command line and for the thread that ships. */
import { RandomStream } from '../../capture/random.ts';
import type { Config } from '../../model/config.ts';
import { maskerFor } from '../masking/find-secrets.ts';
import { maskSteps } from '../masking/masker.ts';
import type { Embedder, IngestTools } from './ingest.ts';

/** @param mask rules of the configuration, beside the built-in ones @param embedder undefined: steps get no vectors */
export function ingestTools(mask: Config['mask'], embedder?: Embedder): IngestTools {
  return {
    random: (seed) => new RandomStream(seed).next,
    embedder,
    maskerOf: ({ lanes, runKey }) => {
      const masker = maskerFor(lanes.map(({ events }) => events), { ...(mask && { mask }), key: runKey });
      return { text: (value) => masker.text(value), steps: (steps) => maskSteps(masker, steps), vault: [] };
    },
  };
}
