/** The values that a run drew from `Math.random`: its generator, from the recorded seed. */
import { RandomStream } from '../capture/random.ts';

export function randomOf(seed: string): () => number {
  return new RandomStream(seed).next;
}
