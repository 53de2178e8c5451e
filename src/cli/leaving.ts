/** Carries out what retention asks for, and says it. */
import type { Config } from '../model/config.ts';
import type { Tombstone } from '../model/run.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import { type Action, planOf } from '../store/retention/plan.ts';
import { isHere, type RunTree } from '../store/retention/trees.ts';
import type { StoredRun } from '../store/run-store.ts';

export interface Left {
  readonly run: string;
  readonly did: 'archived' | 'removed' | 'kept';
  readonly why: string;
  readonly bytes: number;
}

/** A store whose runs leave it. */
export interface Upkeep {
  /** Bytes that its journals may take. */
  cap(config: Config): number;
  /** Oldest first. @throws StoreUnavailableError */
  trees(): Promise<readonly RunTree[]>;
  /** A damaged run, too. @throws RunNotFoundError, StoreUnavailableError */
  find(selector: string): Promise<StoredRun>;
  /** A run that cannot be archived stays where it is, and is named. @throws StoreUnavailableError */
  archive(run: StoredRun, place: ArchivePlace, why: string): Promise<Left>;
  /** The copy in an archive goes as well; where that cannot be reached, the key that opens it is destroyed all the same. @throws StoreUnavailableError */
  remove(run: StoredRun, why: Tombstone['why']): Promise<Left>;
  /** Back from its archive, to stay. @throws IntegrityError, SealedError, StoreUnavailableError */
  restore(run: StoredRun): Promise<void>;
  /** Ends what a process that was killed had begun. */
  sweep(): Promise<void>;
  /** After all: what is left to do, and to close. */
  end(): Promise<void>;
}

/** What is due now. */
export async function due(upkeep: Upkeep, config: Config): Promise<Action[]> {
  return planOf(await upkeep.trees(), { retention: config.retention, cap: upkeep.cap(config), now: Date.now() });
}

/** @param place where what is to be archived goes @throws StoreUnavailableError */
export async function carryOut(upkeep: Upkeep, actions: readonly Action[], place: () => Promise<ArchivePlace>): Promise<Left[]> {
  await upkeep.sweep();
  const to = actions.some((action) => action.do === 'archive') ? await place() : undefined;
  const left: Left[] = [];
  for (const { tree, do: what, why } of actions) {
    for (const run of tree.runs) {
      if (run.manifest.gone) continue;
      if (what === 'archive' && isHere(run)) left.push(await upkeep.archive(run, to as ArchivePlace, why));
      else if (what === 'expire') left.push(await upkeep.remove(run, why));
    }
  }
  return left;
}

/** `1.4 GiB` */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${units[step]}`;
}
