/** The agent's own frames on the stack of a program that stands still, with what their variables hold. */
import type { AsyncStack, Debuggee, Preview, RemoteObject, Scope, Stop } from './debuggee.ts';

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly isFunction: boolean;
}

export interface Frame {
  readonly id: string;
  readonly name: string;
  /** `file:line:column`, from 1. */
  readonly place: string;
  readonly variables: readonly Variable[];
}

export interface Standing {
  /** Innermost first. */
  readonly frames: readonly Frame[];
  /** Variables of the innermost frame's module. */
  readonly module: readonly Variable[];
  /** What awaits it: `function (place)`. */
  readonly behind: readonly string[];
}

const OF_THE_FUNCTION: ReadonlySet<string> = new Set(['local', 'block', 'catch', 'with']);
const MOST_VARIABLES = 40;
const MOST_BEHIND = 12;

/** @param own folder of the harness's own code */
export async function standingAt(debuggee: Debuggee, { callFrames, asyncStack }: Stop, own: string): Promise<Standing> {
  const agents = callFrames.filter((frame) => isAgents(debuggee.urlOf({ scriptId: frame.location.scriptId, url: frame.url }), own));
  const frames: Frame[] = [];
  for (const { callFrameId, functionName, location, url, scopeChain } of agents) {
    const [module, inner] = split(scopeChain);
    const variables = await variablesOf(debuggee, inner);
    // The top level of a module is a function of its own, whose variables are the module's.
    frames.push({ id: callFrameId, name: functionName, place: placeOf(debuggee.urlOf({ scriptId: location.scriptId, url }), location), variables: inner.length > 0 || !module ? variables : [] });
  }
  const [module] = split(agents[0]?.scopeChain ?? []);
  return { frames, module: module ? (await variablesOf(debuggee, [module])).filter(({ isFunction }) => !isFunction) : [], behind: behind(debuggee, asyncStack, own) };
}

function isAgents(url: string, own: string): boolean {
  return url !== '' && !url.startsWith('node:') && !url.includes('/node_modules/') && !url.startsWith('evalmachine') && !decodeURI(url).includes(own);
}

/** The scope of the module, and those inside it. */
function split(chain: readonly Scope[]): readonly [Scope | undefined, readonly Scope[]] {
  const inner = chain.filter(({ type }) => OF_THE_FUNCTION.has(type));
  return [chain.find(({ type }) => type === 'module') ?? [...chain].reverse().find(({ type }) => type === 'closure'), inner];
}

async function variablesOf(debuggee: Debuggee, scopes: readonly Scope[]): Promise<Variable[]> {
  const found = new Map<string, Variable>();
  for (const { object } of scopes) {
    const { result } = await debuggee.call<{ result: { name: string; value?: RemoteObject }[] }>('Runtime.getProperties', { objectId: object.objectId, ownProperties: true, generatePreview: true });
    for (const { name, value } of result.slice(0, MOST_VARIABLES)) if (value && !found.has(name) && !isOfTheRuntime(name)) found.set(name, { name, value: shown(value), isFunction: value.type === 'function' });
  }
  return [...found.values()];
}

/** What Node puts around a CommonJS module. */
function isOfTheRuntime(name: string): boolean {
  return ['exports', 'require', 'module', '__filename', '__dirname', 'this', 'arguments'].includes(name) || name.startsWith('.');
}

export function shown({ type, subtype, value, unserializableValue, description = '', preview, className }: RemoteObject): string {
  if (type === 'undefined') return 'undefined';
  if (type === 'string') return JSON.stringify(value);
  if (subtype === 'null') return 'null';
  if (type === 'function') return /^(?:async )?(?:class|function)\b/.test(description) ? (description.split('\n')[0] as string).replace(/ ?\{.*$/, '') : `function ${(description.split('\n')[0] as string).slice(0, 60)}`;
  if (type !== 'object') return unserializableValue ?? (value === undefined ? description : String(value));
  if (subtype === 'error') return description.split('\n')[0] as string;
  if (!preview) return description;
  return previewed(preview, className ?? 'Object');
}

function previewed({ subtype, description = '', overflow, properties }: Preview, className: string): string {
  const parts = properties.map(({ name, type, subtype: sub, value = '' }) => {
    const text = type === 'string' ? JSON.stringify(value) : type === 'function' ? 'function' : sub === 'null' ? 'null' : value === '' ? type : value;
    return subtype === 'array' ? text : `${name}: ${text}`;
  });
  const inner = [...parts, ...(overflow ? ['…'] : [])].join(', ');
  if (subtype === 'array') return `[${inner}]`;
  if (properties.length === 0 && subtype) return description;
  return `${className === 'Object' ? '' : `${description === '' ? className : description} `}{${inner === '' ? '' : ` ${inner} `}}`;
}

function behind(debuggee: Debuggee, stack: AsyncStack | undefined, own: string): string[] {
  const lines: string[] = [];
  for (let at = stack; at && lines.length < MOST_BEHIND; at = at.parent) {
    for (const frame of at.callFrames) {
      const url = debuggee.urlOf(frame);
      if (isAgents(url, own)) lines.push(`${frame.functionName === '' ? '(anonymous)' : frame.functionName} (${placeOf(url, frame)})`);
    }
  }
  return [...new Set(lines)].slice(0, MOST_BEHIND);
}

function placeOf(url: string, { lineNumber, columnNumber = 0 }: { readonly lineNumber: number; readonly columnNumber?: number }): string {
  return `${url.startsWith('file://') ? decodeURI(url.slice('file://'.length)) : url}:${lineNumber + 1}:${columnNumber + 1}`;
}
