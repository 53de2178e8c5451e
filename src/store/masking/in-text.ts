/** Secrets within texts: keys of known formats, credentials and fields of URLs, forms, assignments, JSON within JSON. */
import { parseShallowJson } from '../../steps/json.ts';
import type { Findings } from './findings.ts';
import { formatsIn } from './formats.ts';
import { decoded, findCredentials } from './in-headers.ts';
import { isSignatureField, kindOfName } from './names.ts';
import { type MaskRules, textsAt } from './rules.ts';

/** Longer texts are searched for known formats only. */
const LOOKED_THROUGH = 1024 * 1024;
const DEPTH = 4;

/** What stands before the first `@`, and all before the last one: programs write passwords as they are. */
const USER_INFO = /\b[a-z][a-z0-9+.-]*:\/\/([^\s/?#:@"'<>\\]*):(([^\s/?#@"'<>\\]+)(?:@[^\s/?#@"'<>\\,]+)*)@/gi;
const FIELD = /(?:^|[?&;#\s"'])([\w.[\]-]{1,64})=([^&\s#"'<>\\]+)/g;
const SPEAKING = /authorization|key|token|secret|cookie|passw/i;
const HEADER_LINE = /\b((?:proxy-)?authorization|[\w-]*(?:api-?key|token|secret|password|passwd)|cookie)\b["']?\s*[:=]\s*["']?((?:(?:bearer|basic|token|digest)\s+)?[^\s"'<>,;&]{8,})/gi;

/** @param value of any form; texts that are JSON are looked into */
export function findInValue(value: unknown, rules: MaskRules, findings: Findings, depth = 0): void {
  // A path begins at a value as a whole: that of a message is a member of its step.
  const roots = depth === 0 && typeof value === 'object' && value !== null ? [value, ...Object.values(value)] : [value];
  for (const path of rules.paths) for (const root of roots) for (const text of textsAt(root, path)) findings.add(text, 'secret', 'rule');
  walk(value, '', { rules, findings, depth });
}

interface Search {
  readonly rules: MaskRules;
  readonly findings: Findings;
  /** Of JSON within JSON. */
  readonly depth: number;
}

function walk(value: unknown, name: string, search: Search): void {
  if (typeof value === 'string') {
    findNamed(name, value, search.findings);
    findInText(value, search.rules, search.findings, search.depth);
  } else if (Array.isArray(value)) walkList(value, name, search);
  else if (typeof value === 'object' && value !== null) walkMembers(value, name, search);
}

/** A pair of a list of pairs, such as headers: the first text names the second. */
function walkList(list: readonly unknown[], name: string, search: Search): void {
  const [first, second] = list;
  if (list.length === 2 && typeof first === 'string' && typeof second === 'string') findNamed(first, second, search.findings);
  for (const item of list) walk(item, name, search);
}

function walkMembers(value: object, name: string, search: Search): void {
  const members = value as { readonly name?: unknown; readonly key?: unknown; readonly value?: unknown };
  const pairName = typeof members.name === 'string' ? members.name : members.key;
  if (typeof pairName === 'string' && typeof members.value === 'string') findNamed(pairName, members.value, search.findings);
  const holdsSecrets = /^(?:secrets|credentials|api_?keys|tokens)$/i.test(name);
  for (const [member, inner] of Object.entries(value)) {
    if (holdsSecrets && typeof inner === 'string') search.findings.add(inner, 'secret', 'random');
    walk(inner, Array.isArray(value) ? name : member, search);
  }
}

/** @param name of the member, the variable or the field that holds the value */
export function findNamed(name: string, value: string, findings: Findings): void {
  const kind = isWorkingFolder(name, value) ? undefined : kindOfName(name);
  if (kind && /^(?:bearer|basic|token|digest)\s+\S/i.test(value)) findCredentials(value, findings);
  else if (kind) findings.add(value, kind, 'named');
}

/** `pwd` is short for a password, and for the folder that one is in: `PWD`, `OLDPWD`. */
function isWorkingFolder(name: string, value: string): boolean {
  return /^(?:old)?pwd$/i.test(name) && value.startsWith('/');
}

export function findInText(text: string, rules: MaskRules, findings: Findings, depth = 0): void {
  if (findings.hasSeen(text)) return;
  for (const { value, kind } of formatsIn(text)) findings.add(value, kind, 'format');
  for (const pattern of rules.patterns) for (const match of text.matchAll(pattern)) findings.add(match[1] ?? match[0], 'secret', 'rule');
  if (text.length > LOOKED_THROUGH) return;
  if (text.includes('://')) for (const [, user = '', whole = '', first = ''] of text.matchAll(USER_INFO)) for (const password of new Set([first, whole])) findUserInfo(user, password, findings);
  if (text.includes('=')) for (const [, name = '', value = ''] of text.matchAll(FIELD)) findField(decoded(name), value, { rules, findings, depth });
  if (SPEAKING.test(text)) for (const [, name = '', value = ''] of text.matchAll(HEADER_LINE)) findLine(name, value, findings);
  if (depth < DEPTH) for (const value of jsonIn(text)) findInValue(value, rules, findings, depth + 1);
}

/** One value, or a line for each, as programs print and log them. */
function jsonIn(text: string): unknown[] {
  const whole = /^\s*[[{]/.test(text) ? parseShallowJson(text) : undefined;
  if (whole !== undefined) return [whole];
  if (!text.includes('\n')) return [];
  return text.split('\n').filter((line) => /^\s*[[{]/.test(line)).map(parseShallowJson).filter((value) => value !== undefined);
}

function findUserInfo(user: string, password: string, findings: Findings): void {
  findings.add(decoded(password), 'password', 'named');
  if (/^(?:x-oauth-basic|x)$/.test(password)) findings.add(decoded(user), 'token', 'named');
}

function findField(name: string, raw: string, { rules, findings, depth }: Search): void {
  const value = decoded(raw.replaceAll('+', ' '));
  if (depth < DEPTH && value !== raw && /^\s*[[{]/.test(value)) findInText(value, rules, findings, depth + 1);
  if (rules.isQuery(name) || rules.isForm(name)) findings.add(value, 'secret', 'rule');
  if (isSignatureField(name)) findings.add(value, 'signature', 'named');
  else if (/^key$/i.test(name)) findings.add(value, 'api key', 'random');
  else findNamed(name, value, findings);
}

/** A line of a header, or an assignment, amid other text: what is named so has to look like it, too. */
function findLine(name: string, value: string, findings: Findings): void {
  const [, scheme, rest = value] = /^(bearer|basic|token|digest)\s+(.+)$/i.exec(value) ?? [];
  if (scheme !== undefined && rest.length >= 12) findCredentials(`${scheme} ${rest}`, findings);
  else if (kindOfName(name) && !/%[0-9a-f]{2}/i.test(rest)) findings.add(rest, kindOfName(name) ?? 'token', 'random');
}
