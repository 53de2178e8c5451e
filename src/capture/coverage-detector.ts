/**
 * Names every sort of native resource that no boundary owns: what the interception surface forgot. Boundaries say what they
 * own when they are installed, so one that is missing shows by what it would have owned.
 *
 * Before Node 24 a hook hears of each when it is made. From then on a hook would show in the stacks of microtasks, so what is
 * alive is looked at now and then; a look costs some microseconds, so the intervals double.
 */
import { asyncWrapProviders, createHook } from 'node:async_hooks';
import { activeResources } from '../runtime/active-resources.ts';
import { binding } from '../runtime/bindings.ts';
import { nativeFs } from '../runtime/natives.ts';

/** Native objects that bring nothing by themselves: parsers, wrappers of streams of the program's own, and what Node makes for itself. */
const INERT: ReadonlySet<string> = new Set([
  'NONE', 'PROMISE', 'HTTPINCOMINGMESSAGE', 'HTTPCLIENTREQUEST', 'JSSTREAM', 'JSUDPWRAP', 'BLOBREADER', 'STREAMPIPE', 'INSPECTORJSBINDING', 'SIGINTWATCHDOG', 'SIGINTHANDLERREQ',
]);

/** What the boundary that watches addons owns. */
export const ADDONS = 'native addons';

const CAN_HEAR: boolean = Number(process.versions.node.split('.')[0]) < 24;
/** What a look calls otherwise than the runtime's list of native resources, in capitals. */
const RENAMED: Readonly<Record<string, string>> = { TCPSOCKETWRAP: 'TCPWRAP', CONNECTWRAP: 'TCPCONNECTWRAP', LIBUVWRITEWRAP: 'WRITEWRAP', SIMPLEWRITEWRAP: 'WRITEWRAP', LIBUVSHUTDOWNWRAP: 'SHUTDOWNWRAP', SIMPLESHUTDOWNWRAP: 'SHUTDOWNWRAP' };

export class CoverageDetector {
  readonly #report: (name: string) => void;
  #deliveries = 0;
  #next = Infinity;
  /** Owned, reported, or none of the runtime's own. */
  readonly #known: Set<string> = new Set(INERT);

  constructor(report: (name: string) => void) {
    this.#report = report;
  }

  /** @param types as async_hooks calls them */
  owns(types: readonly string[]): void {
    for (const type of types) this.#known.add(type);
  }

  /** The program has ended. Addons are no resources of the runtime's: what is loaded tells, where nobody has watched it being loaded. */
  end(): void {
    if (!CAN_HEAR) this.#look();
    if (!this.#known.has(ADDONS)) for (const name of loadedAddons()) this.#report(`a native addon (${name})`);
  }

  start(): void {
    if (CAN_HEAR) watchNative((type) => this.#met(type));
    else this.#next = 1;
  }

  /** Called once per delivery. */
  tick(): void {
    if (++this.#deliveries < this.#next) return;
    this.#next = this.#deliveries * 2;
    this.#look();
  }

  #look(): void {
    for (const name of activeResources()) this.#met(RENAMED[name.toUpperCase()] ?? name.toUpperCase());
  }

  #met(type: string): void {
    if (this.#known.has(type)) return;
    this.#known.add(type);
    // The program's own classes have types, too.
    if (type in asyncWrapProviders) this.#report(`an asynchronous resource (${type})`);
  }
}

function loadedAddons(): Set<string> {
  try {
    return new Set([...nativeFs.readFileSync('/proc/self/maps', 'latin1').matchAll(/\/([^/\n]+\.node)$/gm)].map(([, name]) => name as string));
  } catch {
    // There is no /proc on every system.
    return new Set();
  }
}

type SetPromiseHooks = (...hooks: undefined[]) => void;

/** Without the promises, which make up nearly all of the cost: each of them would cost twice as much. */
function watchNative(made: (type: string) => void): void {
  createHook({ init: (_, type) => made(type) }).enable();
  // A hook that the program itself enables later brings them back.
  const { setPromiseHooks } = binding('async_wrap') as { setPromiseHooks: SetPromiseHooks };
  setPromiseHooks(undefined, undefined, undefined, undefined);
}
