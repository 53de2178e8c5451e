/** Recorded credentials never leave: each is replaced by the same-named variable of the local environment, for the host that it was recorded for. */
import type { RunFacts } from '../../model/event.ts';
import type { Header, HttpRequest } from '../../steps/http1.ts';
import type { RecordedExchange } from '../../steps/recorded-exchanges.ts';
import { createMasker, type Masker } from '../../store/masking/masker.ts';
import type { Secret } from '../../store/masking/secret.ts';

export interface Replaced {
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|private|dsn|_url$/i;
const CREDENTIAL_HEADER = /^(?:(?:proxy-)?authorization|cookie|.*api-?key|.*[-_]token|x-amz-security-token|.*secret.*)$/i;
/** Shorter values occur in everything. */
const SHORTEST = 6;

export class Credentials {
  readonly #secrets: readonly (readonly [name: string, value: string])[];
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #exchanges: readonly RecordedExchange[];
  /** Knows all that is secret in the recording. */
  readonly #all: Masker;
  /** Knows what of it must not leave, wherever the program has it from: a file, its own code, an answer. */
  readonly #kept: Masker;

  /** @param secrets of the recording, as masking finds them */
  constructor({ env, seed }: RunFacts, exchanges: readonly RecordedExchange[], local: Readonly<Record<string, string | undefined>>, secrets: readonly Secret[]) {
    this.#secrets = Object.entries(env).filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SHORTEST && !/^https?:\/\/[^@]*$/.test(value)).sort(([, a], [, b]) => b.length - a.length);
    this.#env = local;
    this.#exchanges = exchanges;
    const own = new Set(Object.values(local));
    const key = Buffer.from(seed);
    this.#all = createMasker(secrets, key);
    // A model's signature of what it said is no credential, and has to go back to it.
    this.#kept = createMasker(secrets.filter(({ kind, value }) => kind !== 'signature' && !own.has(value)), key);
  }

  /** For people: with stand-ins. */
  shown(text: string): string {
    return this.#all.text(text);
  }

  /** @returns the request that may leave, or why none may */
  replace(url: string, { headers, body }: HttpRequest): Replaced | { readonly refused: string } {
    const { host } = new URL(url);
    let out: Replaced = { url, headers, body };
    for (const [name, value] of this.#secrets) {
      if (!holds(out, value)) continue;
      if (!this.#wentTo(host, value)) return { refused: `the request to ${host} holds the recorded ${name}, which was never sent to that host` };
      const local = this.#env[name];
      if (local === undefined || local === '') return { refused: `the request to ${host} needs ${name}: the recorded one does not leave, and there is none in this environment. Set ${name}` };
      out = replaced(out, value, local);
    }
    const left = out.headers.find(([name, value]) => CREDENTIAL_HEADER.test(name) && headers.some(([, before]) => before === value) && !this.#isLocal(value));
    if (left) return { refused: `the request to ${host} has a credential in its header ${left[0]} that comes from no variable of the environment: a recorded one does not leave` };
    const where = this.#holdsKept(out);
    if (where !== undefined) return { refused: `the request to ${host} has a recorded credential in its ${where} that comes from no variable of the environment (but from a file, the program itself, or an answer): it does not leave` };
    return out;
  }

  #holdsKept({ url, headers, body }: Replaced): string | undefined {
    if (this.#kept.text(url) !== url) return 'URL';
    const named = headers.find(([, value]) => this.#kept.text(value) !== value);
    if (named) return `header ${named[0]}`;
    return this.#kept.bytes(body).equals(body) ? undefined : 'body';
  }

  /** What this machine's own environment holds is no recorded secret, whatever the recording says. */
  #isLocal(value: string): boolean {
    return Object.values(this.#env).some((local) => local !== undefined && local.length >= SHORTEST && value.includes(local));
  }

  #wentTo(host: string, value: string): boolean {
    return this.#exchanges.some(({ url, exchange }) => new URL(url).host === host && holds({ url, headers: exchange.request.headers, body: exchange.request.body }, value));
  }
}

function holds({ url, headers, body }: Replaced, value: string): boolean {
  return forms(value).some((form) => url.includes(form) || headers.some(([, held]) => held.includes(form)) || body.includes(form));
}

/** As it is, in a query, and as a password of basic authentication. */
function forms(value: string): string[] {
  return [...new Set([value, encodeURIComponent(value)])];
}

function replaced({ url, headers, body }: Replaced, value: string, local: string): Replaced {
  const swap = (text: string): string => text.replaceAll(encodeURIComponent(value), encodeURIComponent(local)).replaceAll(value, local);
  const isInBody = forms(value).some((form) => body.includes(form));
  return { url: swap(url), headers: headers.map(([name, held]) => [name, swap(held)] as const), body: isInBody ? Buffer.from(swap(body.toString('latin1')), 'latin1') : body };
}
