/** Sessions of a stateful protocol in a fork: refused, or where `--live` names the server gone on with on a new connection, logged in as this machine may. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Received, Sent, Target } from '../../replay/fork/world.ts';
import type { NamedValue } from './named-values.ts';
import type { Piece, RecordedConnections } from './recorded-connections.ts';

export interface SessionOptions {
  readonly recorded: RecordedConnections;
  /** `postgres://HOST:PORT`, `redis://HOST:PORT` of what may go on, among others. */
  readonly live: readonly string[];
  readonly named: readonly NamedValue[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names a recorded credential that some bytes hold. */
  readonly heldIn: (bytes: Buffer) => string | undefined;
  readonly say: (message: Received) => void;
  /** Is told of each call that goes out. */
  readonly called: (call: string) => void;
}

export interface Protocol {
  /** For people: `PostgreSQL`. */
  readonly name: string;
  /** Of its URLs: the first is the one that is shown. */
  readonly schemes: readonly [string, ...string[]];
  /** Of URLs over TLS from the first byte on; undefined: there is no such thing. */
  readonly secure?: string;
  readonly port: number;
  /** Where this machine's own password comes from, in words. */
  readonly password: string;
}

/** One connection of the program. */
export interface Place {
  readonly operation: number;
  readonly target: Target;
}

export interface Session extends Place {
  /** Undefined until the login is done. */
  socket: Socket | undefined;
  /** What the program sent until then. */
  readonly waiting: Buffer[];
  /** The program sends no more. */
  isEnded: boolean;
}

export interface ServerUrl {
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const NOTHING = Buffer.alloc(0);

export abstract class LiveSessions<Own extends Session> {
  protected readonly options: SessionOptions;
  protected abstract readonly protocol: Protocol;
  readonly #sessions = new Map<number, Own>();
  /** Of connections that are begun in the fork, what came before a session. */
  readonly #begun = new Map<number, Buffer>();
  readonly #refused = new Set<number>();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  /** @returns whether this is a connection of the protocol, and so has been taken care of */
  heard({ operation, target, bytes, end, drained, isClosed }: Sent): boolean {
    const sent = Buffer.from(bytes, 'base64');
    const session = this.#sessions.get(operation);
    if (this.#refused.has(operation)) return true;
    if (session) {
      this.#forward(session, sent, end || isClosed);
      return true;
    }
    const first = this.options.recorded.firstSent(operation);
    const begun = Buffer.concat([this.#begun.get(operation) ?? NOTHING, sent]);
    if (isClosed || !this.begins(first ?? begun)) return false;
    const place = { operation, target };
    if (sent.length === 0) this.options.say({ operation, idle: true, end });
    else if (!this.#isLive(target)) this.refuse(place, `. --live ${this.urlOf(target)} lets it go on, logged in anew`);
    else if (target.secure && this.protocol.secure === undefined) this.refuse(place, ' over TLS, which cannot be logged in anew');
    else if (first) this.adopt(this.#open(place, sent), this.options.recorded.had(operation, drained), this.options.recorded.left(operation, drained));
    else {
      const rest = this.begin(place, begun);
      if (rest) this.#begun.set(operation, rest);
      else this.#begun.delete(operation);
    }
    return true;
  }

  close(): void {
    for (const { socket } of this.#sessions.values()) socket?.destroy();
  }

  /** Whether these are the first bytes of a client. */
  protected abstract begins(bytes: Buffer): boolean;

  protected abstract session(place: Place): Own;

  /** One that was open where the fork begins. @param had what the program sent and was given before @param left what came in behind that in the recording */
  protected abstract adopt(session: Own, had: readonly Piece[], left: readonly Buffer[]): void;

  /** One that begins in the fork. @returns what has to be kept until more of it comes; undefined: it is open */
  protected abstract begin(place: Place, begun: Buffer): Buffer | undefined;

  /** @returns what goes out of what the program sent; undefined: it was refused */
  protected abstract outgoing(session: Own, bytes: Buffer): Buffer | undefined;

  /** Takes note of what the server says. @returns whether the program may be given it */
  protected abstract incoming(session: Own, bytes: Buffer): boolean;

  /** Nothing comes until the program asks again. */
  protected abstract isQuiet(session: Own): boolean;

  protected urlOf({ host, port, secure }: Target): string {
    return `${(secure ? this.protocol.secure : undefined) ?? this.protocol.schemes[0]}://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  }

  protected called(session: Own, call: string): void {
    this.options.called(`${this.urlOf(session.target)} ${call}`);
    this.options.say({ operation: session.operation, live: 1 });
  }

  protected open(place: Place): Own {
    return this.#open(place, NOTHING);
  }

  /** @param login makes a connection that speaks for the program from there on */
  protected attempt(session: Own, login: () => Promise<Socket>): void {
    login().then((socket) => this.#splice(session, socket), (error: unknown) => this.failed(session, error as Error));
  }

  protected failed(place: Place, { message }: Error): void {
    this.refuse(place, `: the new login failed: ${message}. The password is ${this.protocol.password}`);
  }

  protected refuse({ operation, target }: Place, why: string): void {
    this.#refused.add(operation);
    this.#sessions.get(operation)?.socket?.destroy();
    this.options.say({ operation, refused: `a ${this.protocol.name} session with ${target.host}:${String(target.port)}${why}` });
  }

  /** Of what the recorded program knew by name: URLs of one server, and of the same one here. */
  protected urlsOf({ port }: Target): { readonly recorded: ServerUrl; readonly here: ServerUrl }[] {
    return this.options.named.flatMap(({ value, local }) => {
      const [recorded, here] = [this.#partsOf(value), this.#partsOf(local)];
      return recorded && here && recorded.port === String(port) && here.host === recorded.host && here.port === recorded.port ? [{ recorded, here }] : [];
    });
  }

  /** Over TLS where the program speaks it, with whom this machine trusts. @throws Error that the system gives */
  protected connect(target: Target): Promise<Socket> {
    const { port, secure } = target;
    // A client that names nobody to the server has connected to an address: whose it is, its URL says.
    const host = isIP(target.host) === 0 ? target.host : (this.urlsOf(target)[0]?.here.host ?? target.host);
    return new Promise((resolve, reject) => {
      const place = { host: target.host, port: Number(port) };
      const socket = secure ? connectTls({ ...place, ...(isIP(host) === 0 && { servername: host }) }) : connect(place);
      socket.setNoDelay();
      socket.once('error', reject);
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  }

  #open(place: Place, sent: Buffer): Own {
    const session = this.session(place);
    if (sent.length > 0) session.waiting.push(sent);
    this.#sessions.set(place.operation, session);
    return session;
  }

  #splice(session: Own, socket: Socket): void {
    const { operation } = session;
    if (this.#refused.has(operation)) return void socket.destroy();
    session.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      if (this.incoming(session, bytes)) this.options.say({ operation, bytes: bytes.toString('base64'), idle: this.isQuiet(session) });
    });
    socket.on('error', () => this.options.say({ operation, reset: true }));
    socket.on('end', () => this.options.say({ operation, end: true }));
    this.#forward(session, Buffer.concat(session.waiting.splice(0)), false);
  }

  #forward(session: Own, bytes: Buffer, end: boolean): void {
    const { operation, socket } = session;
    session.isEnded ||= end;
    if (!socket) return void session.waiting.push(bytes);
    const out = bytes.length > 0 ? this.outgoing(session, bytes) : bytes;
    if (!out) return;
    if (out.length > 0) socket.write(out);
    if (session.isEnded) socket.end();
    else if (this.isQuiet(session)) this.options.say({ operation, idle: true });
  }

  #isLive(target: Target): boolean {
    const names = [this.urlOf(target), ...(/^(?:127\.|::1$)/.test(target.host) ? [this.urlOf({ ...target, host: 'localhost' })] : [])];
    const [scheme, ...others] = this.protocol.schemes;
    const plain = (pattern: string): string => others.reduce((url, other) => url.replace(`${other}://`, `${scheme}://`), pattern.replace(/\/$/, ''));
    return this.options.live.some((pattern) => names.includes(plain(pattern)));
  }

  #partsOf(text: string | undefined): ServerUrl | undefined {
    const { schemes, secure } = this.protocol;
    if (text === undefined || ![...schemes, secure].some((scheme) => scheme !== undefined && text.startsWith(`${scheme}://`)) || !URL.canParse(text)) return undefined;
    const { hostname, port, username, password, pathname } = new URL(text);
    return { host: hostname, port: port === '' ? String(this.protocol.port) : port, user: decodeURIComponent(username), password: decodeURIComponent(password), database: decodeURIComponent(pathname.slice(1)) };
  }
}
