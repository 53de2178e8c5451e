/** Servers on sockets of other processes: those of a cluster, and descriptors that were handed over. They are named when used, and refused in replay. */
import { binding, isLoaded } from '../../runtime/bindings.ts';
import { apply } from '../../runtime/natives.ts';
import { patchMethod } from '../../runtime/patches.ts';
import { readSpawn } from '../../runtime/spawn-protocol.ts';
import type { Session } from '../session.ts';

/** The variable by which a process knows that it is a worker of a cluster. */
const WORKER = 'NODE_UNIQUE_ID=';

export function installSharedServers(session: Session): void {
  patchMethod((process.getBuiltinModule('node:net').Server as { prototype: object }).prototype, 'listen', (native) => function (this: object, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args);
    const { fd } = (args[0] ?? {}) as { fd?: unknown };
    return typeof fd === 'number' && fd >= 0 ? session.uncaptured('a server on a file descriptor (listen)', live) : live();
  });
  const { prototype } = binding('process_wrap')['Process'] as { prototype: object };
  patchMethod(prototype, 'spawn', (native) => function (this: object, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args);
    return readSpawn(args).envPairs?.some((pair) => pair.startsWith(WORKER)) ? session.uncaptured('a cluster (cluster.fork)', live) : live();
  });
  // Node has loaded it before any preload where this process is a worker; elsewhere nothing of it is loaded here.
  if (!isLoaded('internal/cluster/child')) return;
  patchMethod(process.getBuiltinModule('node:cluster'), '_getServer', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return session.uncaptured('a server of a cluster worker', () => apply(native, this, args));
  });
}
