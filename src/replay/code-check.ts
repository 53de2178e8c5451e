/** Whether the program's modules are those of the recorded run. A difference stops nothing: it is told, and explains a divergence. */
import type { LaneEvent } from '../model/event.ts';
import { bufferFrom, jsonParse } from '../runtime/natives.ts';
import { parentOf } from './paths.ts';

type Value = Extract<LaneEvent, { type: 'value' }>;

export class CodeCheck {
  /** Digests of each module; a program may load one again after it has changed it. */
  readonly #recorded: Map<string, Set<string>> = new Map();
  readonly #changed: Set<string> = new Set();
  readonly #folder: string;
  readonly #sameRuntime: boolean;

  /** @param then entry of the recorded run @param now entry of this one: the code may lie elsewhere @param sameRuntime another version reads other modules to find out what they export */
  constructor(modules: readonly Value[], { then, now, sameRuntime }: { readonly then: string | undefined; readonly now: string | undefined; readonly sameRuntime: boolean }) {
    this.#sameRuntime = sameRuntime;
    const folder = parentOf(then ?? '/');
    this.#folder = parentOf(now ?? '/');
    for (const { key, data } of modules) {
      const path = within(folder, (jsonParse(key) as [string])[0]);
      const digests = this.#recorded.get(path) ?? new Set();
      this.#recorded.set(path, digests.add(data.toString('hex')));
    }
  }

  loaded(path: string, digest: Uint8Array): void {
    // Older recordings say nothing of their modules.
    if (this.#recorded.size === 0) return;
    const known = within(this.#folder, path);
    const digests = this.#recorded.get(known);
    if (digests ? !digests.has(bufferFrom(digest).toString('hex')) : this.#sameRuntime) this.#changed.add(known);
  }

  /** Paths below the entry's folder, and whole ones of others. */
  changed(): readonly string[] {
    return [...this.#changed];
  }
}

function within(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
