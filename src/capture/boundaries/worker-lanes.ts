/** How a worker thread comes to record a lane of its own: the preload has to run in it, and to be told where to write. */
import { LANE } from '../../model/lane.ts';
import { construct } from '../../runtime/natives.ts';
import type { AnyFunction } from '../../runtime/patches.ts';
import type { Lanes } from '../session.ts';

export interface WorkerOptions {
  readonly eval?: unknown;
  readonly env?: unknown;
  readonly execArgv?: unknown;
}

/**
 * A thread with an environment or options of its own inherits nothing, and one that runs a text does not import what its
 * parent imported.
 */
export function constructIn(lanes: Lanes | undefined, native: AnyFunction, target: AnyFunction, args: readonly unknown[], execArgv: readonly string[]): object {
  const options = (args[1] ?? undefined) as WorkerOptions | undefined;
  const plain = (): object => construct(native, args as unknown[], target) as object;
  if (!lanes || (options !== undefined && typeof options !== 'object')) return plain();
  const { execArgv: given = undefined, env = undefined, eval: isText = false } = options ?? {};
  const hasOwn = Array.isArray(given) || (typeof env === 'object' && env !== null);
  const isData = (args[0] as { protocol?: unknown } | undefined)?.protocol === 'data:';
  if ((given !== undefined && !Array.isArray(given)) || (!hasOwn && !isText && !isData)) return plain();
  const natively = Array.isArray(given) ? (given as string[]) : hasOwn ? [] : execArgv;
  lanes.shownArgv = [...natively];
  const injected = Object.create(options ?? {}, { execArgv: { value: [...natively, '--require', lanes.preload], enumerable: true } }) as object;
  try {
    return construct(native, [args[0], injected, ...args.slice(2)], target) as object;
  } catch (error) {
    // Options of this process that a thread does not take, or the program's own that no thread takes.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
    lanes.shownArgv = undefined;
    return plain();
  } finally {
    lanes.shownArgv = undefined;
  }
}

/** The message that starts a thread, with what its preload has to know. */
export function withLane(script: object, lanes: Lanes, worker: { readonly operation: number; readonly script: string }): object {
  const { environmentData } = script as { environmentData: ReadonlyMap<unknown, unknown> };
  return { ...script, environmentData: new Map<unknown, unknown>([...environmentData, [LANE, lanes.next(worker)]]) };
}
