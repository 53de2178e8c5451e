/** Who started what: finds the agent's own line behind work that Node or a dependency does later. Costly; used to explain a divergence. */
import { createHook, executionAsyncId } from 'node:async_hooks';
import { agentFrames } from '../runtime/stack.ts';

interface Origin {
  readonly parent: number;
  readonly frames: readonly string[];
}

export class AsyncTrace {
  readonly #origins: Map<number, Origin> = new Map();

  start(): void {
    createHook({
      init: (id) => {
        this.#origins.set(id, { parent: executionAsyncId(), frames: agentFrames() });
      },
    }).enable();
  }

  /** The agent's frames on the nearest origin of what runs now. */
  frames(): readonly string[] {
    let id = executionAsyncId();
    for (let depth = 0; depth < 100_000; depth++) {
      const origin = this.#origins.get(id);
      if (!origin) return [];
      if (origin.frames.length > 0) return origin.frames;
      id = origin.parent;
    }
    return [];
  }
}
