/**
 * Lists that grow from step to step, such as the messages of a conversation, as what each adds to one before it: a
 * conversation is stored once, not once per call.
 *
 * A list that begins with the whole of an earlier one continues that one's root; any other begins a root of its own. The list
 * of a step is what all steps of its root have added up to it.
 */
import { IntegrityError } from '../../model/error.ts';

export interface Manifest {
  readonly step: number;
  /** The step that the list began at. */
  readonly root: number;
  /** Members before those added. */
  readonly kept: number;
  /** Hashes, hex. */
  readonly added: readonly string[];
}

/** Roots that a new list is compared with: the conversations of several agents take turns. */
const REMEMBERED = 64;

interface Root {
  readonly step: number;
  hashes: readonly string[];
}

/** The manifests of one lane and one role, in the order of the steps. The same lists give the same manifests. */
export class ManifestWriter {
  /** Last used last. */
  readonly #roots: Root[] = [];

  add(step: number, hashes: readonly string[]): Manifest {
    const at = this.#continued(hashes);
    const root = at < 0 ? { step, hashes: [] } : (this.#roots.splice(at, 1)[0] as Root);
    const kept = root.hashes.length;
    root.hashes = hashes;
    this.#roots.push(root);
    if (this.#roots.length > REMEMBERED) this.#roots.shift();
    return { step, root: root.step, kept, added: hashes.slice(kept) };
  }

  /** The longest list that is the beginning of this one; of equally long ones the latest. */
  #continued(hashes: readonly string[]): number {
    let best = -1;
    for (let at = this.#roots.length - 1; at >= 0; at--) {
      const { hashes: before } = this.#roots[at] as Root;
      if (before.length <= (best < 0 ? -1 : (this.#roots[best] as Root).hashes.length) || before.length > hashes.length) continue;
      if (before.every((hash, index) => hash === hashes[index])) best = at;
    }
    return best;
  }
}

/** In a store of an older version. @param manifests of one lane and role @returns the hashes of the step's list @throws IntegrityError when a part of it is missing */
export function listOf(step: number, manifests: readonly Manifest[]): string[] {
  const root = manifests.find((manifest) => manifest.step === step)?.root;
  const list = manifests.filter((manifest) => manifest.root === root && manifest.step <= step).sort((a, b) => a.step - b.step).reduce<string[]>((before, { kept, added }) => {
    if (kept !== before.length) throw new IntegrityError(`The list of step ${step} lacks a part.`);
    return [...before, ...added];
  }, []);
  if (root === undefined) throw new IntegrityError(`There is no list of step ${step}.`);
  return list;
}
