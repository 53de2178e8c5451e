/** One command with its reply. */
import { jsonStringify } from '../../runtime/natives.ts';
import { preview } from '../json.ts';
import { Carrier, endingOf, type Said, shortly } from '../said.ts';
import type { StepError } from '../step.ts';
import type { Reply } from './resp.ts';
import { showReply, textOf } from './show.ts';

/** How a connection introduces itself: nothing that was done to the data. */
const INTRODUCTIONS: ReadonlySet<string> = new Set(['AUTH', 'HELLO', 'SELECT', 'CLIENT', 'PING', 'QUIT', 'RESET', 'READONLY', 'ECHO']);
const SUBSCRIPTIONS = /^(?:P|S)?(?:UN)?SUBSCRIBE$/;
const MASKED = '[masked]';
const NAME_CHARACTERS = 80;
const RESULT_CHARACTERS = 80;
const TOLD_CHARACTERS = 200;

export class Command {
  readonly carrier: Carrier = new Carrier();
  readonly name: string;
  readonly args: readonly Reply[];
  error: StepError | null = null;
  endedAt: number | null = null;
  /** Replies that are still to come: a subscription has one for each of its channels. */
  awaits: number;
  readonly #replies: Reply[] = [];

  readonly #more: number;

  /** @param count of words; fewer may have been kept */
  constructor([name, ...args]: readonly Reply[], count: number) {
    this.name = textOf(name)?.toUpperCase() ?? '?';
    this.args = args;
    this.#more = count - 1 - args.length;
    this.awaits = this.subscribes ? Math.max(1, args.length) : 1;
  }

  get subscribes(): boolean {
    return SUBSCRIPTIONS.test(this.name);
  }

  heard(reply: Reply, seqs: readonly number[], at: number): void {
    this.carrier.add(seqs, at);
    this.endedAt = at;
    this.awaits--;
    this.#replies.push(reply);
    if (reply.type === 'error') this.error = errorOf(reply.text);
  }

  /** With its arguments, on one line, for people. */
  get told(): string {
    return shortly([this.name, ...this.#shown().map((arg) => (typeof arg === 'string' ? arg : preview(arg, 40)))].join(' '), TOLD_CHARACTERS);
  }

  said(pending: boolean): Said {
    const args = this.#shown();
    const name = `redis ${shortly([this.name, ...args.slice(0, 1).map((arg) => (typeof arg === 'string' ? arg : preview(arg, 40)))].join(' '), NAME_CHARACTERS)}`;
    const error = this.error ?? (pending ? endingOf(undefined, this.#replies.length > 0) : null);
    const result = this.#replies.length === 1 ? showReply(this.#replies[0] as Reply) : this.#replies.map(showReply);
    const answered = this.#replies.length > 0 && !error;
    return {
      seqs: this.carrier.seqs,
      startedAt: this.carrier.startedAt,
      endedAt: pending ? null : this.endedAt,
      kind: INTRODUCTIONS.has(this.name) ? 'state' : 'tool',
      name,
      summary: `${name}${args.length > 1 ? ` ${preview(args.slice(1), 40).slice(1, -1)}` : ''} → ${error ? `${error.code} ${shortly(error.message, RESULT_CHARACTERS)}` : answered ? preview(result, RESULT_CHARACTERS) : 'not answered'}`,
      input: { command: this.name, args },
      output: answered ? { result } : null,
      error,
      asked: `redis ${jsonStringify([this.name, ...args])}`,
    };
  }

  #shown(): unknown[] {
    return [...withoutPasswords(this.name, this.args.map(showReply)), ...(this.#more > 0 ? [`… ${this.#more} more`] : [])];
  }
}

/** @param text as the server says it: `WRONGTYPE Operation against …` */
export function errorOf(text: string): StepError {
  const [, code = 'ERR', message = text] = /^([A-Z][A-Z0-9_]*) ([\s\S]*)$/.exec(text) ?? [];
  return { code, message };
}

/** @param words arguments, in capitals @returns where passwords stand among them, if this is a login */
export function passwordsOfLogin(command: string, words: readonly string[]): number[] {
  const last = words.length - 1;
  // The user and the password, or the password alone.
  if (command === 'AUTH') return words.length > 0 ? [last] : [];
  const places: number[] = [];
  if (command === 'HELLO') for (let at = 1; at <= last; at += words[at] === 'AUTH' ? 3 : 2) if (words[at] === 'AUTH') places.push(Math.min(at + 2, last));
  return places;
}

function withoutPasswords(command: string, args: readonly unknown[]): unknown[] {
  const words = args.map((arg) => (typeof arg === 'string' ? arg.toUpperCase() : ''));
  const passwords = passwordsOfLogin(command, words);
  if (passwords.length > 0) return args.map((arg, index) => (passwords.includes(index) ? MASKED : arg));
  // In MIGRATE, AUTH has only the password and AUTH2 has both.
  if (command === 'MIGRATE') return args.map((arg, index) => (words[index - 1] === 'AUTH' || words[index - 2] === 'AUTH2' ? MASKED : arg));
  if (command === 'CONFIG' && words[0] === 'SET') return args.map((arg, index) => (/(?:PASS|AUTH)$/.test(words[index - 1] ?? '') ? MASKED : arg));
  if (command === 'ACL' && words[0] === 'SETUSER') return args.map((arg) => (typeof arg === 'string' && /^[<>#!]/.test(arg) ? `${arg.charAt(0)}${MASKED}` : arg));
  return [...args];
}
