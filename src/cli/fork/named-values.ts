/** Credentials by their names, as the recorded program had them: variables of its environment, and values in files that it read. Each with its namesake of this machine. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { LaneEvent, RunFacts } from '../../model/event.ts';
import { decodeOutcome } from '../../model/value.ts';
import { asObject, asText, parseShallowJson } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';

export interface NamedValue {
  /** As people know it: `API_KEY`, `API_KEY in .env`. */
  readonly name: string;
  /** Of a variable, whose name tells whether it is a secret's. */
  readonly variable: string | undefined;
  readonly value: string;
  /** This machine's own. */
  readonly local: string | undefined;
  /** What to do where there is none. */
  readonly advice: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface ReadFile {
  readonly path: string;
  /** Values by name; the name of the whole content is empty. */
  readonly values: ReadonlyMap<string, string>;
}

/** Of a file of credentials. */
const LARGEST = 256 * 1024;
const DOTENV = /^\.env(?:\.[\w.-]+)?$|\.env$|^\.envrc$/;

/** @param run the steps of all its threads, and the events of the main one */
export function namedValues(facts: RunFacts, { steps, events }: { readonly steps: readonly Step[]; readonly events: readonly LaneEvent[] }, env: Variables): NamedValue[] {
  const files = [...steps.flatMap(readBy), ...events.flatMap(loadedBy)];
  const given = envFilesOf(facts.execArgv).map((path) => ({ path, values: localValues(path, facts) }));
  const variables = Object.entries(facts.env).map(([name, value]): NamedValue => {
    const local = env[name] || given.map(({ values }) => values.get(name)).find((found) => found !== undefined);
    return { name, variable: name, value, local, advice: `Set ${name}` };
  });
  return [...variables, ...files.flatMap((file) => inFile(file, facts, env))];
}

function inFile({ path, values }: ReadFile, facts: RunFacts, env: Variables): NamedValue[] {
  const here = localValues(path, facts);
  const isDotenv = DOTENV.test(basename(path));
  return [...values].map(([name, value]) => ({
    name: name === '' ? `content of ${path}` : `${name} of ${path}`,
    variable: isDotenv ? name : undefined,
    value,
    // What loads such files keeps a variable that is set.
    local: (isDotenv && env[name]) || here.get(name),
    advice: `Put ${name === '' ? 'one' : name} into ${path}`,
  }));
}

/** By dotenv and the like, and by the program itself. */
function readBy({ boundary, input, output }: Step): ReadFile[] {
  const path = asText(asObject(input)['path']);
  const content = asText(asObject(output)['content']);
  return boundary === 'fs' && path !== null && content !== null && content.length <= LARGEST ? [{ path, values: valuesIn(path, content) }] : [];
}

/** By `process.loadEnvFile`. */
function loadedBy(event: LaneEvent): ReadFile[] {
  if (event.type !== 'value' || event.kind !== 'process-value' || !event.key.startsWith('["loadEnvFile"')) return [];
  const [, path = '.env'] = JSON.parse(event.key) as string[];
  const { result } = decodeOutcome(event.data) as { result?: unknown };
  return Array.isArray(result) ? [{ path, values: new Map(result as [string, string][]) }] : [];
}

/** By `node --env-file`. */
function envFilesOf(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, index) => {
    const [, inline] = /^--env-file(?:-if-exists)?=(.+)$/.exec(argument) ?? [];
    return inline ?? (/^--env-file(?:-if-exists)?$/.test(argument) ? (execArgv[index + 1] ?? []) : []);
  });
}

/** Of the file as it is now: at its recorded place, or at the same place in this project's or this user's folder. */
function localValues(path: string, { cwd, env }: RunFacts): ReadonlyMap<string, string> {
  const recorded = resolve(cwd, path.replace(/^file:\/\//, ''));
  const found = [within(cwd, recorded, process.cwd()), recorded, within(env['HOME'], recorded, homedir())].find((candidate) => candidate !== undefined && existsSync(candidate));
  if (found === undefined) return new Map();
  const facts = statSync(found);
  return facts.isFile() && facts.size <= LARGEST ? valuesIn(found, readFileSync(found, 'utf8')) : new Map();
}

function within(folder: string | undefined, path: string, here: string): string | undefined {
  if (folder === undefined || folder === '') return undefined;
  const inside = relative(folder, path);
  return inside.startsWith('..') || isAbsolute(inside) ? undefined : join(here, inside);
}

function valuesIn(path: string, content: string): Map<string, string> {
  if (DOTENV.test(basename(path))) return new Map(Object.entries(parseEnv(content) as Record<string, string>));
  const json = parseShallowJson(content);
  if (typeof json === 'object' && json !== null) return new Map(textsIn(json, ''));
  const whole = content.trim();
  return /\s/.test(whole) ? linesIn(content) : new Map([['', whole]]);
}

function textsIn(value: unknown, name: string): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  return typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, inner]) => textsIn(inner, name === '' ? key : `${name}.${key}`)) : [];
}

/** `[section]`, `name = value`, `name: "value"`. A name that is there twice names nothing. */
function linesIn(content: string): Map<string, string> {
  const values = new Map<string, string>();
  const twice = new Set<string>();
  let section = '';
  for (const line of content.split(/\r?\n/)) {
    const [, head] = /^\s*\[(.+)\]\s*$/.exec(line) ?? [];
    if (head !== undefined) section = `${head}.`;
    const [, key, quoted, plain] = /^\s*(?:export\s+)?["']?([\w./:@-]+?)["']?\s*[=:]\s*(?:(["'].*["'])|(.+?))\s*,?\s*$/.exec(line) ?? [];
    if (key === undefined) continue;
    const name = section + key;
    if (values.has(name)) twice.add(name);
    values.set(name, quoted?.slice(1, -1) ?? (plain as string));
  }
  for (const name of twice) values.delete(name);
  return values;
}
