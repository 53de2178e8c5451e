/** The whole interception surface, in the order in which it has to be installed. */
import type { RunFacts } from '../../model/event.ts';
import { hideSources } from '../../runtime/patches.ts';
import { installWarnings } from '../../runtime/warnings.ts';
import type { Session } from '../session.ts';
import { installChildren, type Propagate } from './children.ts';
import { installChannels } from './channels.ts';
import { installAddons } from './addons.ts';
import { installClock } from './clock.ts';
import { installContexts } from './contexts.ts';
import { installCrypto } from './crypto.ts';
import { installDescriptors } from './descriptors.ts';
import { installDns } from './dns.ts';
import { installFinalizers } from './finalizers.ts';
import { installFs } from './fs.ts';
import { installHandles } from './handles.ts';
import { installIpc } from './ipc.ts';
import { installHttpServers } from './http-servers.ts';
import { installHttp2 } from './http2.ts';
import { installHistograms } from './histograms.ts';
import { installLateModules } from './late-modules.ts';
import { installModuleHooks } from './module-hooks.ts';
import { Ports } from './ports.ts';
import { installPerformanceEntries } from './performance-entries.ts';
import { endOfProcess, installExit, installProcess } from './process.ts';
import { installRandom } from './random.ts';
import { installServers } from './servers.ts';
import { installSharedMemory } from './shared-memory.ts';
import { installSharedServers } from './shared-servers.ts';
import { installSignals } from './signals.ts';
import { installStacks } from './stacks.ts';
import { installTerminals } from './terminals.ts';
import { installTimers } from './timers.ts';
import { installTimeZone } from './time-zone.ts';
import { installTls } from './tls.ts';
import { installUdp } from './udp.ts';
import { installUncaptured } from './uncaptured.ts';
import { installWorkerThread } from './worker-thread.ts';
import { installWorkers } from './workers.ts';
import { patchWasm } from './wasm.ts';
import { installZlib } from './zlib.ts';

/**
 * @param facts of the run: which native addons are declared pure, and which surface its recorder had
 * @param warm loads what has to be loaded before the clocks and sources are patched, and returns what hides that it has
 * @param propagate puts the harness into children, when recording
 */
export function installBoundaries(session: Session, { nativeAddons = [], surface = 0 }: Pick<RunFacts, 'nativeAddons' | 'surface'>, warm: () => () => void, propagate?: Propagate): void {
  installWarnings();
  installTimeZone(session);
  installFinalizers(session, surface);
  const handles = installHandles(session);
  installServers(session, handles);
  const tls = installTls(session, handles);
  installTerminals(session, handles);
  installDescriptors(session, handles);
  // A terminal's stream listens for its size as soon as it is opened.
  installSignals(session);
  const children = installChildren(session, handles, propagate);
  installIpc(session, handles);
  // undici takes references to random sources when it loads.
  installCrypto(session);
  // Loading undici opens process.stderr (it asks for colours): the handles have to be watched by then.
  const warmed = warm();
  installHttpServers(session, (handle) => handles.find(handle) ?? tls.find(handle));
  installDns(session);
  const prints = installFs(session);
  installZlib(session);
  installHttp2(session);
  installUdp(session);
  installTimers(session);
  installProcess(session);
  installRandom(session);
  installClock(session);
  patchWasm(globalThis.WebAssembly as typeof WebAssembly | undefined, session);
  installContexts(session);
  installPerformanceEntries(session);
  installHistograms(session);
  const exit = endOfProcess(session, handles, children);
  installLateModules(session, prints, exit);
  const moduleHooks = installModuleHooks(session);
  const ports = new Ports(session, installSharedMemory(session, moduleHooks.owns));
  installChannels(session, ports);
  installWorkerThread(session, ports);
  installWorkers(session, ports);
  installAddons(session, nativeAddons);
  installUncaptured(session);
  installSharedServers(session);
  warmed();
  installStacks(session);
  hideSources(Function.prototype);
  installExit(session, exit);
}
