/** `replay-harness.json`: what it may hold. The JSON Schema shipped for editors says the same (a test compares them). */
import { ConfigError } from './error.ts';
import { isLimits, isRetention, type Limits, type Retention } from './retention.ts';
import { isPath } from './json-path.ts';

export interface Config {
  readonly store?: string;
  readonly agent?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly recipient?: string | readonly string[];
  readonly mask?: readonly Readonly<Record<string, string>>[];
  readonly ignore?: readonly string[];
  readonly match?: MatchConfig;
  readonly tools?: Readonly<Record<string, 'read-only' | 'side-effect'>>;
  readonly nativeAddons?: Readonly<Record<string, 'pure'>>;
  readonly llm?: Readonly<Record<string, string>>;
  readonly retention?: Retention;
  readonly limits?: Limits;
  readonly search?: SearchConfig;
  readonly sampling?: number | Readonly<Record<string, unknown>>;
}

export interface SearchConfig {
  /** Base address of an OpenAI-compatible API that makes the vectors: `https://host/v1`. */
  readonly endpoint?: string;
  readonly model?: string;
  /** Environment variable that holds the key of the API. */
  readonly apiKeyEnv?: string;
  /** Folder of the user's own saved queries. */
  readonly queries?: string;
}

/** What does not count when a request is held against recorded ones. */
export interface MatchConfig {
  readonly ignore?: readonly MatchRule[];
}

/** One of: a header, a member of a JSON body (`$.metadata.id`), a parameter of the query or of a form. */
export interface MatchRule {
  readonly header?: string;
  readonly json?: string;
  readonly query?: string;
  readonly form?: string;
}

type Check = readonly [takes: string, holds: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const MASKS = ['header', 'json', 'query', 'form', 'env', 'file', 'pattern'];
const MATCHES = ['header', 'json', 'query', 'form'];
const isMatchRule = (value: unknown): boolean => isTextMap(value) && Object.keys(value as object).length === 1 && MATCHES.includes(Object.keys(value as object)[0] as string) && isPath((value as MatchRule).json ?? '$.a');
const isMatch = (value: unknown): boolean => isObject(value) && Object.keys(value).every((key) => key === 'ignore') && (value['ignore'] === undefined || (Array.isArray(value['ignore']) && value['ignore'].every(isMatchRule)));
const isMask = (value: unknown): boolean => {
  const [[sort, text] = [], ...more] = isTextMap(value) ? Object.entries(value as Record<string, string>) : [];
  return more.length === 0 && text !== undefined && text !== '' && MASKS.includes(sort as string) && (sort !== 'pattern' || isPattern(text));
};
const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'g').flags === 'g';
  } catch {
    return false;
  }
};

const SEARCH = ['endpoint', 'model', 'apiKeyEnv', 'queries'];
const isSearch = (value: unknown): boolean =>
  isTextMap(value) && Object.keys(value as object).every((key) => SEARCH.includes(key)) && !('endpoint' in (value as object) && !('model' in (value as object)));

export const CONFIG_KEYS: Readonly<Record<keyof Config, Check>> = {
  store: ['a folder or a postgres:// address (text)', isText],
  agent: ['the agent id (text, not empty)', (value) => isText(value) && value !== ''],
  tags: ['an object of texts', isTextMap],
  recipient: ['a public key, or a list of them', (value) => isText(value) || isTextList(value)],
  mask: [`a list of rules, each an object with one of ${MASKS.join(', ')} (a regular expression)`, (value) => Array.isArray(value) && value.every(isMask)],
  ignore: ['a list of hosts (texts)', isTextList],
  match: [`an object with "ignore": a list of rules, each an object with one of ${MATCHES.join(', ')} (json: a path such as $.metadata.id)`, isMatch],
  tools: ['an object from patterns to "read-only" or "side-effect"', (value) => isObject(value) && Object.values(value).every((entry) => entry === 'read-only' || entry === 'side-effect')],
  nativeAddons: ['an object from package names or paths to "pure"', (value) => isObject(value) && Object.values(value).every((entry) => entry === 'pure')],
  llm: ['an object from hosts to a provider name', isTextMap],
  retention: ['an object with payload and archive (ages such as "30d", or "forever"), to (a folder or s3://bucket/prefix), s3, incidents and tags (see docs/retention.md)', isRetention],
  limits: ['an object with disk (bytes, a text such as "2GiB", or "none")', isLimits],
  search: [`an object of texts: ${SEARCH.join(', ')}; an endpoint needs a model`, isSearch],
  sampling: ['a number from 0 to 1, or an object', (value) => isObject(value) || (typeof value === 'number' && value >= 0 && value <= 1)],
};

/** Keys that are checked and kept for later versions. */
const WITHOUT_EFFECT = ['llm', 'sampling'];

/** @returns keys of a configuration that this version does not act upon yet */
export function keysWithoutEffect(config: Config): string[] {
  return WITHOUT_EFFECT.filter((key) => key in config);
}

/** @throws ConfigError naming the key and what it takes. */
export function parseConfig(text: string, file: string): Config {
  let parsed: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    parsed = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    throw new ConfigError(`${file} is not valid JSON: ${(error as Error).message}.`);
  }
  if (!isObject(parsed)) throw new ConfigError(`${file} must hold one JSON object.`);
  for (const [key, value] of Object.entries(parsed)) {
    if (key === '$schema') continue;
    const check = (CONFIG_KEYS as Record<string, Check | undefined>)[key];
    if (!check) throw new ConfigError(`${file}: unknown key "${key}". Known keys: ${Object.keys(CONFIG_KEYS).join(', ')}.`);
    if (!check[1](value)) throw new ConfigError(`${file}: "${key}" takes ${check[0]}, not ${JSON.stringify(value)}.`);
  }
  return parsed as Config;
}
