/** Secrets where programs keep them: variables, arguments, files of credentials. */
import { parseShallowJson } from '../../steps/json.ts';
import type { Findings } from './findings.ts';
import { findCredentials } from './in-headers.ts';
import { findInText, findInValue, findNamed } from './in-text.ts';
import { isCredentialFile } from './names.ts';
import type { MaskRules } from './rules.ts';

export function findInVariables(env: Readonly<Record<string, unknown>>, rules: MaskRules, findings: Findings): void {
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string') continue;
    if (rules.isVariable(name)) findings.add(value, 'secret', 'rule');
    findNamed(name, value, findings);
    findInText(value, rules, findings);
  }
}

/** `--token VALUE`, `--token=VALUE`, `TOKEN=VALUE`, `-H 'Authorization: …'`, `-u user:password`; and all that within a line for a shell. */
export function findInArguments(args: readonly string[], rules: MaskRules, findings: Findings): void {
  for (const [index, argument] of args.entries()) {
    const next = args[index + 1];
    const [, name, value] = /^-{0,2}([\w.-]+)=(.+)$/s.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) {
      if (rules.isVariable(name)) findings.add(value, 'secret', 'rule');
      findNamed(name, value, findings);
      if (LOGIN_OPTIONS.test(name)) findLogin(value, findings);
    }
    const option = /^--?([A-Za-z][\w-]*)$/.exec(argument)?.[1];
    if (option !== undefined && next !== undefined && !next.startsWith('-')) {
      findNamed(option, next, findings);
      if (LOGIN_OPTIONS.test(option)) findLogin(next, findings);
      if (option === 'p' && isOf(TAKES_PASSWORD_BEHIND_P, args.slice(0, index))) findings.add(next, 'password', 'named');
    }
    const [, letter, joined] = /^-([uUp])(?=\S)([^=]\S*)$/.exec(argument) ?? [];
    if (letter !== undefined && joined !== undefined) {
      if (letter !== 'p') findLogin(joined, findings);
      else if (isOf(TAKES_PASSWORD_IN_P, args.slice(0, index))) findings.add(joined, 'password', 'named');
    }
    const header = /^\s*([\w-]+)\s*:\s*(.+)$/.exec(argument);
    if (header && /authorization|key|token|secret|cookie/i.test(header[1] as string)) findCredentials(header[2] as string, findings);
    findInText(argument, rules, findings);
    const words = wordsOfShell(argument);
    if (words.length > 1) findInArguments(words, rules, findings);
  }
}

const LOGIN_OPTIONS = /^(?:u|U|user|proxy-user|login)$/;
const TAKES_PASSWORD_IN_P = /^(?:mysql|mariadb)[\w-]*$|^sshpass$/;
const TAKES_PASSWORD_BEHIND_P = /^sshpass$/;
/** Longer ones are texts that somebody passes on. */
const LONGEST_LINE = 16 * 1024;

/** `user:password` */
function findLogin(value: string, findings: Findings): void {
  if (value.includes(':') && !value.includes('://')) findings.add(value.slice(value.indexOf(':') + 1), 'password', 'named');
}

/** @returns whether one of these words is the program */
function isOf(programs: RegExp, words: readonly string[]): boolean {
  return words.some((word) => programs.test(word.slice(word.lastIndexOf('/') + 1)));
}

/** As a shell parts them, about: what is quoted stays together. */
function wordsOfShell(line: string): string[] {
  if (!line.includes(' ') || line.length > LONGEST_LINE) return [];
  return [...line.matchAll(/(?:[^\s"'|;&<>()]|"(?:\\.|[^"\\])*"|'[^']*'|\\.)+/gs)].map(([word]) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/gs, (_, double?: string, single?: string) => double ?? single ?? ''));
}

/** @param content as text */
export function findInFile(path: string, content: string, rules: MaskRules, findings: Findings): void {
  const named = rules.isFile(path);
  if (!named && !isCredentialFile(path)) return;
  const value = parseShallowJson(content);
  if (typeof value === 'object' && value !== null) {
    findInValue(value, rules, findings);
    for (const text of textsOf(value)) findings.add(text, 'secret', named ? 'rule' : 'random');
    return;
  }
  const lines = content.replace(PEM, '').split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\s*(?:#|;|\/\/)/.test(line));
  if (lines.length === 1 && !/[=:\s]/.test(lines[0] as string)) findings.add(lines[0] as string, 'secret', named ? 'rule' : 'random');
  for (const line of lines) findInLine(path, line, named, findings);
}

/** Keys are known by their form, and certificates are none. */
const PEM = /-----BEGIN [^-\r\n]+-----[\s\S]*?-----END [^-\r\n]+-----/g;

/** Without what is remarked behind it. */
function withoutRemark(value: string): string {
  return (/^(["'])(.*)\1\s+#/.exec(value)?.[2] ?? value.replace(/^([^"'].*?)\s+#.*$/, '$1')).trim();
}

function findInLine(path: string, line: string, named: boolean, findings: Findings): void {
  // HOST:PORT:DATABASE:USER:PASSWORD, and USER:HASH
  if (/pgpass$/.test(path)) return findings.add(line.split(/(?<!\\):/).slice(4).join(':').replace(/\\([:\\])/g, '$1'), 'password', 'named');
  if (/htpasswd$/.test(path)) return findings.add(line.slice(line.indexOf(':') + 1), 'password', 'named');
  const [, name, value] = /^\s*(?:export\s+)?["']?([\w./:@-]+?)["']?\s*[=:]\s*(.+?)\s*$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) {
    const plain = withoutRemark(value);
    findNamed(name.split(/[/:]/).at(-1) as string, plain, findings);
    findings.add(plain, 'secret', named ? 'rule' : 'random');
  }
  // machine HOST login USER password SECRET
  for (const [, password = ''] of line.matchAll(/\bpassword\s+(\S+)/g)) findings.add(password, 'password', 'named');
  if (named && name === undefined) findings.add(line, 'secret', 'rule');
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
