/**
 * Stack traces without the harness in them.
 *
 * What lies at the bottom of a stack (who ran this macrotask) differs between a recorded and a replayed run and holds
 * frames of ours; so that part is a value read from the runtime, and goes through the journal like any other.
 */
import { captureStackTrace, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, NativeError, reflectDefine, reflectSet } from './natives.ts';
import { type AnyFunction, disguise, propertyOf } from './patches.ts';
import { ticksAmid } from './calls-amid.ts';

export type CallSite = NodeJS.CallSite & { isAsync(): boolean; getScriptNameOrSourceURL?(): string | null };

/** Folder of the bundle that this code runs in; frames of its files are ours. */
const OWN_FOLDER: string = __filename.slice(0, __filename.lastIndexOf('/') + 1);
const OWN_URL: string = `file://${OWN_FOLDER}`;
/** Name of a function of ours that stands for the runtime's outermost call: what lies below it is not there natively. */
export const OUTERMOST = 'feedParser';
const SCHEDULER = /^node:(?:internal\/timers|internal\/process\/task_queues|internal\/async_hooks|async_hooks|internal\/process\/promises|internal\/per_context\/messageport)$/;

let raw = false;
/** Of call sites: V8 shows the class only through its objects. */
let sitePrototype: object = Object.prototype;
/** Frames of the error that is being formatted right now. */
let formatting: readonly CallSite[] = [];

function fileOf(site: CallSite): string {
  return site.getFileName() ?? '';
}

function isOwnFile(file: string): boolean {
  return file.startsWith(OWN_FOLDER) || file.startsWith(OWN_URL);
}

function isOwn(site: CallSite): boolean {
  return isOwnFile(fileOf(site));
}

/** The current stack as call sites, from the caller of `below` on, at most `limit` frames. */
export function callSites(limit: number, below: AnyFunction): CallSite[] {
  const holder: { stack?: CallSite[] } = {};
  const before = NativeError.stackTraceLimit;
  const override = getOwnPropertyDescriptor(NativeError, 'prepareStackTrace');
  // A program may have frozen all this: then its own limit holds.
  reflectSet(NativeError, 'stackTraceLimit', limit);
  raw = true;
  // Before the filter is installed, or when the agent replaced it, the property itself has to be ours for a moment.
  if (!override?.get) reflectDefine(NativeError, 'prepareStackTrace', { value: (_: unknown, sites: CallSite[]) => sites, configurable: true, writable: true });
  try {
    captureStackTrace(holder, below);
    const { stack } = holder;
    return Array.isArray(stack) ? stack : [];
  } finally {
    raw = false;
    reflectSet(NativeError, 'stackTraceLimit', before);
    if (!override) delete (NativeError as { prepareStackTrace?: unknown }).prepareStackTrace;
    else if (!override.get) reflectDefine(NativeError, 'prepareStackTrace', override);
  }
}

/** Whether the innermost caller outside of node:fs and the harness is Node's module loader. */
export function calledByModuleLoader(below: AnyFunction): boolean {
  for (const site of callSites(12, below)) {
    const file = fileOf(site);
    if (isOwnFile(file) || file.startsWith('node:fs') || file.startsWith('node:internal/fs/')) continue;
    return file.startsWith('node:internal/modules/') || file.startsWith('node:internal/process/esm_loader') || file.startsWith('node:internal/source_map') || file.startsWith('node:internal/main/') || file.startsWith('node:internal/process/execution');
  }
  return false;
}

/** File of the innermost caller that is not the harness's; '' when there is none. */
export function callerFile(below: AnyFunction): string {
  return callSites(8, below).map(fileOf).find((file) => file !== '' && !isOwnFile(file)) ?? '';
}

/** Whether a WebAssembly module called `below` itself. */
export function calledByWasm(below: AnyFunction): boolean {
  const caller = callSites(4, below).find((site) => !isOwn(site));
  return caller !== undefined && fileOf(caller).startsWith('wasm://');
}

/** Whether the innermost caller that is neither Node's nor ours lies in a package whose path matches. */
export function calledByPackage(path: RegExp): boolean {
  const caller = callSites(30, calledByPackage).map(fileOf).find((file) => file !== '' && !isOwnFile(file) && !file.startsWith('node:'));
  return caller !== undefined && path.test(caller);
}

/** The agent's own frames, innermost first: not Node's, not ours, not a dependency's. */
export function agentFrames(below: AnyFunction = agentFrames): string[] {
  const isAgents = (site: CallSite): boolean => isAgentFile(fileOf(site));
  const frames = callSites(60, below).filter(isAgents);
  return (frames.length > 0 ? frames : formatting.filter(isAgents)).map((site) => String(site));
}

/** Whether a function of the agent's own is being called right now; one that awaits is not. */
export function agentIsOnStack(): boolean {
  return callSites(60, agentIsOnStack).some((site) => !site.isAsync() && isAgentFile(fileOf(site)));
}

/** `function (file:line:column)` of the innermost frame in the agent's own code; '' when none is on the stack. */
export function agentFrame(): string {
  return agentFrames(agentFrame)[0] ?? '';
}

export function isAgentFile(file: string): boolean {
  return file !== '' && !isOwnFile(file) && !file.startsWith('node:') && !file.includes('/node_modules/') && !file.startsWith('evalmachine');
}

/**
 * Formats stacks from here on without frames of the harness.
 * @param bottom is given the error's first line and the frames that ran the macrotask, and returns the frames to show there
 */
export function filterStacks(bottom: (error: string, sites: CallSite[]) => CallSite[]): void {
  // Node's own formatter; it also applies source maps.
  const standard = (NativeError as { prepareStackTrace?: AnyFunction }).prepareStackTrace ?? plainFormat;
  let chosen: AnyFunction | undefined;
  const prepare = (error: object, sites: CallSite[]): unknown => {
    if (raw) return sites;
    if (sites[0]) sitePrototype = getPrototypeOf(sites[0]) as object;
    const { top, tail, asynchronous } = split(sites);
    formatting = top;
    const outermost = tail.findIndex((site) => isOwn(site) && site.getFunctionName() === OUTERMOST);
    const shown = bottom(String(standard.call(NativeError, error, [])), (outermost < 0 ? tail : tail.slice(0, outermost)).filter((site) => !isOwn(site)));
    formatting = [];
    return (chosen ?? standard).call(NativeError, error, [...top, ...shown, ...asynchronous]) as unknown;
  };
  const own = disguise(prepare, standard);
  // The runtime and the agent read the same property: what the agent set comes back as a filter in its guise.
  let shownAs: AnyFunction = own;
  defineProperty(NativeError, 'prepareStackTrace', {
    configurable: true,
    enumerable: false,
    get: () => shownAs,
    set(value: unknown) {
      if (value === shownAs) return;
      chosen = typeof value === 'function' && value !== own ? (value as AnyFunction) : undefined;
      shownAs = chosen ? disguise((error: object, sites: CallSite[]) => prepare(error, sites), chosen) : own;
    },
  });
}

/** What the methods of a call site answer, by method. */
export type RecordedSite = Readonly<Record<string, unknown>>;

const SITE_METHODS = [
  'getColumnNumber', 'getEnclosingColumnNumber', 'getEnclosingLineNumber', 'getEvalOrigin', 'getFileName', 'getFunctionName', 'getLineNumber', 'getMethodName', 'getPosition', 'getPromiseIndex',
  'getScriptHash', 'getScriptNameOrSourceURL', 'getTypeName', 'isAsync', 'isConstructor', 'isEval', 'isNative', 'isPromiseAll', 'isToplevel', 'toString',
];

export function describeSite(site: CallSite): RecordedSite {
  const methods = site as unknown as Record<string, (() => unknown) | undefined>;
  return Object.fromEntries(SITE_METHODS.map((method) => [method, methods[method]?.() ?? null]));
}

/** A call site that answers as the recorded one did. */
export function siteFrom(recorded: RecordedSite): CallSite {
  const site = Object.create(sitePrototype) as CallSite;
  const answers = { ...recorded, getThis: undefined, getFunction: undefined };
  for (const [method, answer] of Object.entries(answers)) defineProperty(site, method, { value: () => answer, configurable: true, writable: true });
  return site;
}

/** The bottom is what ran the macrotask: the last frames before the asynchronous part that belong to a scheduler or to us. */
function split(sites: CallSite[]): { top: CallSite[]; tail: CallSite[]; asynchronous: CallSite[] } {
  const firstAsync = sites.findIndex((site) => site.isAsync());
  const synchronous = aboveTicks(firstAsync < 0 ? sites : sites.slice(0, firstAsync));
  let end = synchronous.length;
  while (end > 0 && (isOwn(synchronous[end - 1] as CallSite) || SCHEDULER.test(fileOf(synchronous[end - 1] as CallSite)))) end--;
  return {
    top: synchronous.slice(0, end).filter((site, index) => !isOwn(site) && !isBetweenOwn(synchronous, index)).map((site) => calledBy(site, synchronous)),
    tail: synchronous.slice(end),
    asynchronous: firstAsync < 0 ? [] : sites.slice(firstAsync).filter((site) => !isOwn(site)),
  };
}

/** Ticks that we ran in the middle of a call show nothing of what is below them, as the runtime's own do. */
function aboveTicks(sites: CallSite[]): CallSite[] {
  const at = sites.findIndex((site) => isOwn(site) && site.getFunctionName() === ticksAmid.name);
  if (at < 0) return sites;
  const above = sites.slice(0, at);
  return above.at(-1)?.getFunctionName() === 'runNextTicks' ? above.slice(0, -1) : above;
}

/** `new Promise (<anonymous>)` and other functions of the language that our code calls with functions of its own. */
function isBetweenOwn(sites: readonly CallSite[], index: number): boolean {
  const [before, after] = [sites[index - 1], sites[index + 1]];
  return before !== undefined && after !== undefined && fileOf(sites[index] as CallSite) === '' && isOwn(before) && isOwn(after);
}

/** Properties under which the runtime calls back; our callers of those carry the name (see calledAs). */
const PROPERTIES: ReadonlySet<string> = new Set(['_onTimeout', '_onImmediate', 'oncomplete', 'ondone', 'onerror', '_fatalException', 'onexit']);

/** Shows what we called in the runtime's stead as the runtime's own call: `Timeout.tick [as _onTimeout]`. */
function calledBy(site: CallSite, sites: readonly CallSite[]): CallSite {
  let property: string | undefined;
  for (let at = sites.indexOf(site) + 1; property === undefined && at < sites.length && isOwn(sites[at] as CallSite); at++) {
    const caller = (sites[at] as CallSite).getFunctionName() ?? '';
    property = PROPERTIES.has(caller) ? caller : caller === site.getFunctionName() ? propertyOf(caller) : undefined;
  }
  if (property === undefined) return site;
  const plain = String(site);
  const type = site.getTypeName() ?? '';
  const name = site.getFunctionName();
  const prefix = `${type}.${name ?? '<anonymous>'} `;
  if (!plain.startsWith(prefix) || name === property) return site;
  const text = (name ? `${type}.${name} [as ${property}] ` : `${type}.${property} `) + plain.slice(prefix.length);
  return new Proxy(site, {
    get(target, key) {
      if (key === 'toString') return () => text;
      if (key === 'getMethodName') return () => property;
      const value = (target as unknown as Record<PropertyKey, unknown>)[key];
      return typeof value === 'function' && key !== 'constructor' ? (value as AnyFunction).bind(target) : value;
    },
  });
}

/** For runtimes that keep their formatter to themselves. */
function plainFormat(error: object, sites: CallSite[]): string {
  let header: string;
  try {
    header = NativeError.prototype.toString.call(error);
  } catch {
    header = '<error>';
  }
  return header + sites.map((site) => `\n    at ${String(site)}`).join('');
}
