/** The other end of all connections of a forked program: what each request gets, and from where. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Received, Sent, Target } from '../../replay/fork/world.ts';
import { requestOf, requestReader } from '../../steps/http1-exchange.ts';
import { type Header, headerValue, type HttpRequest } from '../../steps/http1.ts';
import { exchangeOf, isModelCall, type RecordedExchange } from '../../steps/recorded-exchanges.ts';
import { type Credentials, LOOKED_THROUGH } from './credentials.ts';
import type { Handlers } from './handlers.ts';
import type { SessionOptions } from './live-sessions.ts';
import { withModel } from './model.ts';
import { PostgresSessions } from './postgres-sessions.ts';
import { RedisSessions } from './redis-sessions.ts';
import { type Answer, answerOf, chunk, cutReadsOf, head, LAST_CHUNK, readsOf } from './wire.ts';

export interface PeerOptions {
  readonly exchanges: readonly RecordedExchange[];
  /** Number of the step at which the program was left to itself. */
  readonly at: number;
  /** What that step is answered with, where it is not asked for real. */
  readonly answer: Answer | undefined;
  /** Patterns of what may be asked for real: `HOST/PATH`, or `METHOD URL`, with `*`. */
  readonly live: readonly string[];
  readonly credentials: Credentials;
  readonly sessions: Pick<SessionOptions, 'recorded' | 'named' | 'env'>;
  /** Answer what they want to, instead of the recording and of the world. */
  readonly handlers: Handlers | undefined;
  /** Model calls that go out ask for this one. */
  readonly model: string | undefined;
}

const NOTHING = Buffer.alloc(0);
/** Bytes of something that has not shown what it is. */
const SNIFFED = 64 * 1024;

export class ForkPeer {
  readonly #stream: Duplex;
  readonly #options: PeerOptions;
  readonly #sent = new Map<number, Buffer>();
  /** Whether the program has ended its side of a connection on which a request is being answered. */
  readonly #answering = new Map<number, { end: boolean }>();
  /** Messages of the program, by operation. */
  readonly #told = new Map<number, number>();
  readonly #sessions: readonly (PostgresSessions | RedisSessions)[];
  readonly #used = new Set<RecordedExchange>();
  /** What was asked for real. */
  readonly liveCalls: string[] = [];
  /** What the handlers answered. */
  readonly handled: string[] = [];
  /** Model calls that asked for another model than the program named. */
  otherModels = 0;
  #isFirst = true;
  #rest = '';

  constructor(stream: Duplex, options: PeerOptions) {
    this.#stream = stream;
    this.#options = options;
    const { credentials, live } = options;
    const own: SessionOptions = { ...options.sessions, live, heldIn: (bytes) => credentials.heldIn(bytes), say: (message) => this.#say(message), called: (call) => this.liveCalls.push(credentials.shown(call)) };
    this.#sessions = [new PostgresSessions(own), new RedisSessions(own)];
    stream.setEncoding('utf8');
    stream.on('close', () => this.#sessions.forEach((sessions) => sessions.close()));
    stream.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() as string;
      for (const line of lines) this.#heard(JSON.parse(line) as Sent);
    });
    stream.on('error', () => {});
  }

  #heard(message: Sent): void {
    const { operation, target, bytes, end, isClosed } = message;
    this.#told.set(operation, (this.#told.get(operation) ?? 0) + 1);
    if (this.#sessions.some((sessions) => sessions.heard(message))) return;
    if (isClosed) return void this.#sent.delete(operation);
    const sent = Buffer.concat([this.#sent.get(operation) ?? NOTHING, Buffer.from(bytes, 'base64')]);
    const before = this.#answering.get(operation);
    if (before) {
      // A request behind another one (pipelining) waits for its answer.
      this.#sent.set(operation, sent);
      before.end ||= end;
    } else this.#take(operation, target, sent, end);
  }

  #take(operation: number, target: Target, sent: Buffer, end: boolean): void {
    if (sent.length === 0) return this.#say({ operation, idle: true, end });
    const reader = requestReader();
    const length = reader.feed(sent, 0);
    const request = reader.startLine === '' || reader.invalid ? undefined : requestOf(reader, { scheme: target.secure ? 'https' : 'http', host: 'localhost', port: null });
    if (!request && !mayBecomeRequest(sent)) {
      return this.#say({ operation, refused: `bytes to ${target.host}:${String(target.port)}, which are not HTTP/1. A session of another protocol (HTTP/2, another database, mail) cannot go on, or begin, in a fork` });
    }
    if (!request?.complete) return void this.#sent.set(operation, sent);
    const answering = { end };
    this.#answering.set(operation, answering);
    this.#sent.set(operation, sent.subarray(length));
    const next = (): void => {
      this.#answering.delete(operation);
      const behind = this.#sent.get(operation) ?? NOTHING;
      this.#sent.delete(operation);
      if (behind.length > 0 || answering.end) this.#take(operation, target, behind, answering.end);
    };
    this.#answer(operation, target, request, sent.subarray(0, length)).catch((error: unknown) => this.#say({ operation, refused: (error as Error).message })).then(next, next);
  }

  async #answer(operation: number, target: Target, request: HttpRequest, sent: Buffer): Promise<void> {
    const url = urlOf(target, request);
    const called = `${request.method} ${url}`;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const { exchanges, at, answer, credentials, handlers, model } = this.#options;
    const tunnels = request.method === 'CONNECT';
    if (tunnels || headerValue(request.headers, 'upgrade') !== undefined) return this.#say({ operation, refused: `${tunnels ? `CONNECT ${request.target}` : called}, which would turn the connection into something else` });
    if (answer && isFirst && exchanges.some(({ step, url: recorded }) => step === at && recorded === url)) return this.#serve(operation, answer);
    const handled = await handlers?.answer({ method: request.method, url, headers: request.headers, body: request.body }).catch((error: unknown) => {
      throw new Error(`${called}: a handler of --handlers failed: ${(error as Error).message}`);
    });
    if (handled) {
      this.handled.push(credentials.shown(called));
      return this.#relayHandled(operation, request.method, handled);
    }
    const asked = exchangeOf(url, sent, NOTHING);
    const isModel = asked !== undefined && isModelCall(asked);
    if (!this.#mayGoLive(request, url, isModel)) {
      const same = exchanges.filter(({ url: recorded, exchange }) => recorded === url && exchange.request.method === request.method && exchange.request.body.equals(request.body));
      const recorded = same.find((candidate) => candidate.step >= at && !this.#used.has(candidate)) ?? same.findLast(({ end }) => end === 'complete');
      if (!recorded) return this.#say({ operation, refused: called });
      this.#used.add(recorded);
      return this.#serveRecorded(operation, called, recorded);
    }
    const out = credentials.replace(url, request);
    if ('refused' in out) return this.#say({ operation, refused: out.refused });
    const other = isModel && model !== undefined ? withModel(out, model) : undefined;
    if (other) this.otherModels++;
    this.liveCalls.push(`${credentials.shown(called)}${other && model !== undefined ? ` (model ${model})` : ''}`);
    await this.#ask(operation, request.method, { ...out, ...other });
  }

  /** A request in a model's wire format to somebody who was no model when it was recorded is a request like any other. */
  #mayGoLive(request: HttpRequest, url: string, isModel: boolean): boolean {
    // A request that reads has nothing to bring: one that does is allowed by its method.
    const patterns = this.#options.live.filter((pattern) => request.body.length === 0 || METHOD.test(pattern));
    return (isModel && this.#options.exchanges.some((recorded) => recorded.isModelCall && apiOf(recorded.url) === apiOf(url))) || methodsOf(request).every((method) => patterns.some((pattern) => matches(pattern, method, url)));
  }

  /** One that was not whole is none now: it breaks off where it did, or never comes where the program gave up waiting. */
  #serveRecorded(operation: number, called: string, { exchange: { response }, end }: RecordedExchange): void {
    if (response && end === 'complete') return this.#serve(operation, answerOf(response));
    if (end === 'open' || end === 'invalid') return this.#say({ operation, refused: `${called}, whose answer was not recorded to its end` });
    if (response) for (const bytes of cutReadsOf(response)) this.#say({ operation, bytes: bytes.toString('base64') });
    // The program still waits for what never comes, as it did, until it gives up again.
    if (end !== 'aborted') this.#say({ operation, ...(end === 'reset' ? { reset: true } : { idle: true, end: true }) });
  }

  #serve(operation: number, answer: Answer): void {
    for (const bytes of readsOf(answer)) this.#say({ operation, bytes: bytes.toString('base64') });
    this.#say({ operation, idle: true });
  }

  #ask(operation: number, method: string, { url, headers, body }: { readonly url: string; readonly headers: readonly Header[]; readonly body: Buffer }): Promise<void> {
    return new Promise((resolve) => {
      const own = headers.filter(([name]) => !/^(?:connection|keep-alive|transfer-encoding|content-length|proxy-connection|expect)$/i.test(name));
      const flat = [...own, ['connection', 'keep-alive'] as const, ...(body.length > 0 || /^(?:POST|PUT|PATCH)$/.test(method) ? [['content-length', String(body.length)] as const] : [])].flat();
      const failed = (): void => {
        this.#say({ operation, reset: true, live: 1 });
        resolve();
      };
      const asked = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, { method, headers: flat, agent: false, setHost: false }, (response) => this.#relay(operation, method, response, resolve));
      asked.on('error', failed);
      asked.end(body);
    });
  }

  #relay(operation: number, method: string, response: IncomingMessage, done: () => void): void {
    const { statusCode = 0, statusMessage = '', rawHeaders } = response;
    const headers = Array.from({ length: rawHeaders.length / 2 }, (_, index) => [rawHeaders[2 * index], rawHeaders[2 * index + 1]] as [string, string]);
    const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
    this.#say({ operation, live: 1, bytes: head({ status: statusCode, statusText: statusMessage, headers }, hasBody ? ['transfer-encoding', 'chunked'] : ['content-length', '0']).toString('base64') });
    this.#options.credentials.received(headers, NOTHING);
    const body: Buffer[] = [];
    let size = 0;
    response.on('data', (bytes: Buffer) => {
      if (size < LOOKED_THROUGH) body.push(bytes);
      size += bytes.length;
      if (hasBody) this.#say({ operation, bytes: chunk(bytes).toString('base64') });
    });
    response.on('end', () => {
      this.#options.credentials.received(headers, Buffer.concat(body));
      if (hasBody) this.#say({ operation, bytes: LAST_CHUNK.toString('base64') });
      this.#say({ operation, idle: true, end: /close/i.test(response.headers.connection ?? '') });
    });
    response.on('error', () => this.#say({ operation, reset: true }));
    response.on('close', done);
  }

  async #relayHandled(operation: number, method: string, { status, statusText, headers, body }: Response): Promise<void> {
    // msw's HttpResponse.error()
    if (status === 0) return this.#say({ operation, reset: true });
    const hasBody = body !== null && method !== 'HEAD' && status !== 204 && status !== 304;
    const sent = { status, statusText, headers: [...headers] };
    this.#options.credentials.received(sent.headers, NOTHING);
    this.#say({ operation, bytes: head(sent, hasBody ? ['transfer-encoding', 'chunked'] : ['content-length', '0']).toString('base64') });
    if (hasBody) {
      for await (const bytes of body) if (bytes.length > 0) this.#say({ operation, bytes: chunk(bytes).toString('base64') });
      this.#say({ operation, bytes: LAST_CHUNK.toString('base64') });
    }
    this.#say({ operation, idle: true });
  }

  #say({ idle, ...message }: Received): void {
    // More comes where a request waits behind the one that was answered.
    const isIdle = idle === true && (this.#sent.get(message.operation)?.length ?? 0) === 0;
    if (this.#stream.writable) this.#stream.write(`${JSON.stringify({ ...message, ...(isIdle && { idle, heard: this.#told.get(message.operation) }) })}\n`);
  }
}

/** Whether these bytes may be the beginning of an HTTP/1 request. HTTP/2 begins with something like one. */
function mayBecomeRequest(sent: Buffer): boolean {
  const text = sent.toString('latin1', 0, SNIFFED);
  return sent.length <= SNIFFED && !text.includes('\r\n\r\n') && !text.startsWith('PRI * HTTP/2') && /^[A-Z]{1,20}(?: [^\n]*)?$/.test(text.split('\r\n')[0] ?? '');
}

/** The host is the one that the request names, and that is also the one that is asked. */
function urlOf({ host, port, secure }: Target, { target, headers }: HttpRequest): string {
  if (/^https?:\/\//.test(target)) return target;
  const named = headerValue(headers, 'host') ?? (port === null ? host : `${host}:${port}`);
  return `${secure ? 'https' : 'http'}://${named}${target}`;
}

/** At the beginning of a pattern. */
const METHOD = /^[A-Z]+ /;

/** What follows the base of a model's API in the paths of its calls. */
const MODEL_CALL = /\/(?:chat\/completions|completions|responses|embeddings|messages|models\/[^/]+:\w+|model\/[^/]+\/(?:converse|invoke)[\w-]*|api\/(?:chat|generate|embed\w*))$/;

/** @returns where the API lies that this is a call of */
function apiOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(MODEL_CALL, '')}`;
}

/** The method, and the one that a header puts in its place for servers that heed it. */
function methodsOf({ method, headers }: HttpRequest): string[] {
  const meant = ['x-http-method-override', 'x-http-method', 'x-method-override'].flatMap((name) => headerValue(headers, name)?.toUpperCase() ?? []);
  return [method, ...meant];
}

/** The whole of `METHOD URL`, of the URL without its query, or of `HOST/PATH`. A `*` stands for anything but a `?` or an encoded `/`, `\\` or `.`; in a host for no `/` either. */
export function matches(pattern: string, method: string, url: string): boolean {
  const { origin, host, pathname, search } = new URL(url);
  const [wantedMethod, wanted] = METHOD.test(pattern) ? (pattern.split(' ', 2) as [string, string]) : ['', pattern];
  if (wantedMethod !== '' && wantedMethod !== method) return false;
  if (wantedMethod === '' && method !== 'GET' && method !== 'HEAD') return false;
  // A server may take these for what divides a path, or leads up in it, also when it decodes it twice or drops parameters.
  if ((/%(?:2f|5c|2e|25|3b)/i.test(pathname) && !wanted.includes('%')) || (pathname.includes(';') && !wanted.includes(';'))) return false;
  const whole = wanted.includes('://') ? `${origin}${pathname}` : `${host}${pathname}`;
  const query = wanted.includes('?') ? search : '';
  const slash = wanted.indexOf('/', wanted.includes('://') ? wanted.indexOf('://') + 3 : 0);
  const expression = [...wanted].map((character, index) => (character !== '*' ? character.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`) : slash < 0 || index < slash ? '[^/?#@]*' : '[^?#]*')).join('');
  return new RegExp(`^${expression}${slash < 0 ? '(?:/.*)?' : ''}$`).test(`${whole}${query}`);
}
