import { it } from 'vitest';
import { recordAndReplay } from '../support/record-and-replay.ts';
it('fetch', async () => { for (let i = 0; i < 3; i++) await recordAndReplay({ agent: 'fetch-json.mjs' }, i); });
