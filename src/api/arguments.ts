/** Arguments as callers give them: what is wrong is said in their words, before anything is started. */
import { statSync } from 'node:fs';
import { inspect } from 'node:util';
import { ConfigError } from '../model/error.ts';

/** Of one argument. */
export interface Taken {
  /** In words, after "takes". */
  readonly what: string;
  readonly is: (value: unknown) => boolean;
  /** What an error says of a wrong one, where it may hold secrets. */
  readonly given?: (value: unknown) => string;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && !value.includes('\0');
const isMap = (value: unknown, is: (member: unknown) => boolean): boolean => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(is);
const isVariable = (member: unknown): boolean => member === undefined || typeof member === 'string';
const isStep = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

export const TEXT: Taken = { what: 'a text that is not empty', is: isText };
export const FLAG: Taken = { what: 'true or false', is: (value) => typeof value === 'boolean' };
export const RUN: Taken = { what: 'a run: a full id, a unique prefix, or latest', is: isText };
export const COMMAND: Taken = { what: "a list of a program and its arguments, like ['node', 'agent.js']", is: (value) => Array.isArray(value) && isText(value[0]) && value.every((word) => typeof word === 'string' && !word.includes('\0')) };
export const NAMES: Taken = { what: 'a list of runs, bundles and folders of bundles', is: (value) => Array.isArray(value) && value.every(isText) };
export const PATTERNS: Taken = { what: "a list of patterns, like ['api.example.com/items/*']", is: (value) => Array.isArray(value) && value.every(isText) };
export const TAGS: Taken = { what: "an object of texts, like { suite: 'ci' }, with names that are not empty and have no \"=\"", is: (value) => isMap(value, (member) => typeof member === 'string') && Object.keys(value as object).every((name) => name !== '' && !name.includes('=')) };
export const STEP: Taken = { what: 'the number of a step', is: isStep };
export const TWO_STEPS: Taken = { what: 'two numbers of steps, like [126, 129]', is: (value) => Array.isArray(value) && value.length === 2 && value.every(isStep) };
export const CHANGES: Taken = { what: 'an object of places and JSON values, like { status: 503 }', is: (value) => isMap(value, isJson) };
const SANDBOX: Taken = { what: "'auto', 'os' or 'process'", is: (value) => ['auto', 'os', 'process'].includes(value as string) };
const FOLDER: Taken = { what: 'an existing folder', is: (value) => isText(value) && (statSync(value as string, { throwIfNoEntry: false })?.isDirectory() ?? false) };
const VARIABLES: Taken = { what: "an object of texts, like { TZ: 'UTC' }", is: (value) => isMap(value, isVariable), given: wrongVariables };

export const STORE: Readonly<Record<'store', Taken>> = { store: TEXT };
export const SURROUNDINGS: Readonly<Record<'cwd' | 'env', Taken>> = { cwd: FOLDER, env: VARIABLES };
/** How recordings are replayed. */
export const HOW: Readonly<Record<'command' | 'loose' | 'node' | 'sandbox', Taken>> = { command: COMMAND, loose: FLAG, node: TEXT, sandbox: SANDBOX };

/** @param argument its name, and that of its function: `record: command` @throws ConfigError */
export function requireArgument(argument: string, value: unknown, { what, is, given = shown }: Taken): void {
  if (!is(value)) throw new ConfigError(`${argument} takes ${what}, not ${given(value)}.`);
}

/** @param takes every option that there is @throws ConfigError */
export function requireOptions(caller: string, options: unknown, takes: Readonly<Record<string, Taken>>): void {
  const names = Object.keys(takes).join(', ');
  requireArgument(`${caller}: options`, options, { what: `an object with any of ${names}`, is: (value) => isMap(value, () => true) });
  for (const [name, value] of Object.entries(options as object)) {
    const taken = Object.hasOwn(takes, name) ? takes[name] : undefined;
    if (!taken) throw new ConfigError(`${caller}: there is no option "${name}". There are: ${names}.`);
    if (value !== undefined) requireArgument(`${caller}: options.${name}`, value, taken);
  }
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** Names of variables, and nothing of what is in them. */
function wrongVariables(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `a value of type ${Array.isArray(value) ? 'array' : typeof value}`;
  return Object.entries(value).filter(([, member]) => !isVariable(member)).map(([name, member]) => `${name} of type ${typeof member}`).join(', ');
}

const SHOWN = 80;

function shown(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Infinity });
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
