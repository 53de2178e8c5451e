/** Recorded credentials never leave: each is replaced by its namesake of this machine, for the host that it was recorded for. */
import type { RunFacts } from '../../model/event.ts';
import { decodeBody } from '../../steps/body.ts';
import { type Header, headerValue, type HttpRequest } from '../../steps/http1.ts';
import type { RecordedExchange } from '../../steps/recorded-exchanges.ts';
import { createMasker, type Masker } from '../../store/masking/masker.ts';
import type { Secret } from '../../store/masking/secret.ts';
import type { NamedValue } from './named-values.ts';

export interface Replaced {
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

export interface CredentialOptions {
  readonly facts: RunFacts;
  /** Of the recorded program's environment and files. */
  readonly named: readonly NamedValue[];
  readonly exchanges: readonly RecordedExchange[];
  /** This machine's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the recording, as masking finds them. */
  readonly secrets: readonly Secret[];
}

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|private|dsn|_url$/i;
const CREDENTIAL_HEADER = /^(?:(?:proxy-)?authorization|cookie|.*api-?key|.*[-_]token|x-amz-security-token|.*secret.*)$/i;
/** Shorter values occur in everything. */
const SHORTEST = 6;
/** Bytes of one live answer in which credentials are looked for. */
export const LOOKED_THROUGH: number = 1024 * 1024;

export class Credentials {
  readonly #named: ReadonlyMap<string, readonly NamedValue[]>;
  readonly #exchanges: readonly RecordedExchange[];
  /** Knows all that is secret in the recording. */
  readonly #all: Masker;
  /** Knows what of it must not leave, wherever the program has it from: a file, its own code, an answer. */
  readonly #kept: Masker;
  /** What this machine's own environment and files hold. */
  readonly #own: ReadonlySet<string>;
  /** What the world has answered since the fork began: a credential in it is no recorded one. */
  readonly #received: string[] = [];

  constructor({ facts: { seed }, named, exchanges, env, secrets }: CredentialOptions) {
    const found = new Set(secrets.map(({ value }) => value));
    const byValue = new Map<string, NamedValue[]>();
    for (const one of named) {
      const isSecret = found.has(one.value) || (one.variable !== undefined && SECRET_NAME.test(one.variable));
      if (!isSecret || one.value.length < SHORTEST || /^https?:\/\/[^@]*$/.test(one.value)) continue;
      byValue.set(one.value, [...(byValue.get(one.value) ?? []), one]);
    }
    this.#named = new Map([...byValue].sort(([a], [b]) => b.length - a.length));
    this.#exchanges = exchanges;
    this.#own = new Set([...Object.values(env), ...[...byValue.values()].flat().map(({ local }) => local)].filter((value) => value !== undefined));
    const key = Buffer.from(seed);
    this.#all = createMasker(secrets, key);
    // A model's signature of what it said is no credential, and has to go back to it.
    this.#kept = createMasker(secrets.filter(({ kind, value }) => kind !== 'signature' && !this.#own.has(value)), key);
  }

  /** For people: with stand-ins. */
  shown(text: string): string {
    return this.#all.text(text);
  }

  /** @returns the request that may leave, or why none may */
  replace(url: string, { headers, body }: HttpRequest): Replaced | { readonly refused: string } {
    const { host } = new URL(url);
    let out: Replaced = { url, headers, body };
    for (const [value, names] of this.#named) {
      if (!holds(out, value)) continue;
      const [{ name }] = names as readonly [NamedValue, ...NamedValue[]];
      if (!this.#wentTo(host, value)) return { refused: `the request to ${host} holds the recorded ${name}, which was never sent to that host` };
      const local = names.find((one) => one.local !== undefined && one.local !== '')?.local;
      if (local === undefined) return { refused: `the request to ${host} needs ${name}: the recorded one does not leave, and there is none on this machine. ${names.map(({ advice }) => advice).join(', or ')}` };
      out = replaced(out, value, local);
    }
    const left = out.headers.find(([name, value]) => CREDENTIAL_HEADER.test(name) && headers.some(([, before]) => before === value) && !this.#isOurs(name, value));
    if (left) return { refused: `the request to ${host} has a credential in its header ${left[0]} that comes from no variable of the environment and no file that is here, too: a recorded one does not leave` };
    const where = this.#holdsKept(out);
    if (where !== undefined) return { refused: `the request to ${host} has a recorded credential in its ${where} that comes from no variable of the environment and no file that is here, too (but from the program itself, or an answer): it does not leave` };
    return out;
  }

  /** @returns the recorded credential in what goes out by another protocol, in words; undefined: there is none */
  heldIn(bytes: Buffer): string | undefined {
    for (const [value, [first]] of this.#named) if (!this.#own.has(value) && forms(value).some((form) => bytes.includes(form))) return `the recorded ${first?.name}`;
    return this.#kept.bytes(bytes).equals(bytes) ? undefined : 'a recorded credential';
  }

  /** An answer of the world. */
  received(headers: readonly Header[], body: Buffer): void {
    const { value } = decodeBody(body, headers);
    this.#received.push([...headers.map(([, text]) => text), typeof value === 'string' ? value : JSON.stringify(value)].join('\n'));
  }

  #holdsKept({ url, headers, body }: Replaced): string | undefined {
    if (this.#kept.text(url) !== url) return 'URL';
    const named = headers.find(([, value]) => this.#kept.text(value) !== value);
    if (named) return `header ${named[0]}`;
    return this.#kept.bytes(body).equals(body) ? undefined : 'body';
  }

  /** What this machine holds, or was given by the world just now, is no recorded secret, whatever the recording says. */
  #isOurs(name: string, value: string): boolean {
    if ([...this.#own].some((local) => local.length >= SHORTEST && plain(value).includes(local))) return true;
    const parts = /^cookie$/i.test(name) ? value.split(/; */) : [value.replace(/^[A-Za-z]+ +/, '')];
    return parts.every((part) => part.length >= SHORTEST && this.#received.some((text) => text.includes(part)));
  }

  #wentTo(host: string, value: string): boolean {
    return this.#exchanges.some(({ url, exchange }) => new URL(url).host === host && holds({ url, headers: exchange.request.headers, body: exchange.request.body }, value));
  }
}

function holds({ url, headers, body }: Replaced, value: string): boolean {
  return forms(value).some((form) => url.includes(form) || headers.some(([, held]) => plain(held).includes(form)) || body.includes(form));
}

/** As it is, in a query, and in JSON. */
function forms(value: string): [string, string, string] {
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
}

const BASIC = /^(Basic +)([A-Za-z0-9+/]+=*)$/i;

/** A header's value; of basic authentication the user and the password in clear. */
function plain(value: string): string {
  const [, , packed] = BASIC.exec(value) ?? [];
  return packed === undefined ? value : Buffer.from(packed, 'base64').toString();
}

function replaced({ url, headers, body }: Replaced, value: string, local: string): Replaced {
  const inUrl = (text: string): string => text.replaceAll(encodeURIComponent(value), () => encodeURIComponent(local)).replaceAll(value, () => encodeURIComponent(local));
  const inText = (text: string): string => text.replaceAll(value, () => local).replaceAll(encodeURIComponent(value), () => encodeURIComponent(local));
  const inHeader = (text: string): string => {
    const [, scheme, packed] = BASIC.exec(text) ?? [];
    return packed === undefined ? inText(text) : `${scheme}${Buffer.from(inText(plain(text))).toString('base64')}`;
  };
  return { url: inUrl(url), headers: headers.map(([name, held]) => [name, inHeader(held)] as const), body: inBytes(body, headerValue(headers, 'content-type') ?? '', value, local) };
}

/** Bytes stay as they are around what is replaced. */
function inBytes(body: Buffer, type: string, value: string, local: string): Buffer {
  const [was, is] = [forms(value), forms(local)];
  if (!was.some((form) => body.includes(form))) return body;
  const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
  // A value that needs no escape looks the same in each.
  const own = /json/i.test(type) || /^\s*[[{]/.test(body.toString('latin1', 0, 100)) ? 2 : /form-urlencoded/i.test(type) ? 1 : 0;
  const order = [own, ...[1, 2, 0].filter((form) => form !== own)];
  return Buffer.from(order.reduce((text, form) => text.replaceAll(asBytes(was[form] as string), () => asBytes(is[form] as string)), body.toString('latin1')), 'latin1');
}
