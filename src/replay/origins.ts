/**
 * Numbers what the agent's own code starts: an asynchronous resource that is made with frames of the agent's on the stack is
 * an origin. A replay makes the same ones in the same order, so that a second replay can stop where the first one saw one.
 */
import { createHook, executionAsyncId } from 'node:async_hooks';
import { agentIsOnStack } from '../runtime/stack.ts';

/** Longest chain that is followed. */
const FARTHEST = 100_000;

interface Made {
  readonly parent: number;
  /** undefined: none of the agent's own code was on the stack. */
  readonly origin: number | undefined;
}

export class Origins {
  readonly #made: Map<number, Made> = new Map();
  #count = 0;

  /** @param made is called while the agent's frames are on the stack */
  start(made: (origin: number) => void): void {
    createHook({
      init: (id) => {
        const origin = agentIsOnStack() ? ++this.#count : undefined;
        this.#made.set(id, { parent: executionAsyncId(), origin });
        if (origin !== undefined) made(origin);
      },
    }).enable();
  }

  /** The origin of what runs now; undefined where nothing of the agent's started it. */
  nearest(): number | undefined {
    let id = executionAsyncId();
    for (let depth = 0; depth < FARTHEST; depth++) {
      const made = this.#made.get(id);
      if (!made || made.origin !== undefined) return made?.origin;
      id = made.parent;
    }
    return undefined;
  }
}
