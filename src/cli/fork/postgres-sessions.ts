/** Sessions of PostgreSQL in a fork: where `--live` names the server, each is logged in anew with this machine's own password. */
import type { Socket } from 'node:net';
import type { LaneEvent } from '../../model/event.ts';
import type { Received, Sent, Target } from '../../replay/fork/world.ts';
import { Frames } from '../../steps/postgres/frames.ts';
import { createClient } from '../../store/sql/pool.ts';
import type { NamedValue } from './named-values.ts';
import { asksToEncrypt, isLogin, message, readSession, startupOf, statementsIn, welcome } from './postgres-wire.ts';

export interface PostgresOptions {
  readonly events: readonly LaneEvent[];
  /** Number of the first event that is not replayed. */
  readonly from: number;
  /** `postgres://HOST:PORT` of what may go on, among others. */
  readonly live: readonly string[];
  readonly named: readonly NamedValue[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Session {
  readonly url: string;
  /** Undefined until the login is done. */
  socket: Socket | undefined;
  readonly waiting: Buffer[];
  readonly client: Frames;
  readonly server: Frames;
  /** SQL of prepared statements, by name. */
  readonly statements: Map<string, string>;
  /** Sent, and not answered: they count as live calls. */
  asked: number;
  /** Something may come at any time. */
  listens: boolean;
}

interface Login {
  readonly socket: Socket;
  readonly parameters: ReadonlyMap<string, string>;
  readonly key: { readonly processID: number; readonly secretKey: number };
}

const NOTHING = Buffer.alloc(0);

export class PostgresSessions {
  readonly #options: PostgresOptions;
  readonly #say: (message: Received) => void;
  readonly #called: (call: string) => void;
  readonly #sessions = new Map<number, Session>();
  /** Of connections that are begun in the fork, what came before a login. */
  readonly #begun = new Map<number, Buffer>();

  /** @param called is told of each statement that goes out */
  constructor(options: PostgresOptions, say: (message: Received) => void, called: (call: string) => void) {
    this.#options = options;
    this.#say = say;
    this.#called = called;
  }

  /** @returns whether this is a connection of PostgreSQL, and so has been taken care of */
  heard({ operation, target, bytes, end }: Sent): boolean {
    const sent = Buffer.from(bytes, 'base64');
    const session = this.#sessions.get(operation);
    if (session) this.#forward(session, sent, end);
    else {
      const writes = this.#writesOf(operation);
      const begun = Buffer.concat([this.#begun.get(operation) ?? NOTHING, sent]);
      if (!isLogin(writes[0] ?? begun)) return false;
      if (sent.length === 0) this.#say({ operation, idle: true, end });
      else if (!this.#isLive(target)) this.#refuse(operation, target, `. --live ${urlOf(target)} lets it go on, logged in anew`);
      else if (target.secure) this.#refuse(operation, target, ' over TLS, which cannot be logged in anew');
      else if (writes.length > 0) this.#adopt(operation, target, writes, sent);
      else this.#begin(operation, target, begun);
    }
    return true;
  }

  close(): void {
    for (const { socket } of this.#sessions.values()) socket?.destroy();
  }

  /** A session that was open where the fork begins. */
  #adopt(operation: number, target: Target, writes: readonly Buffer[], sent: Buffer): void {
    const { startup, prepared, bound } = readSession(writes, this.#readsOf(operation));
    if (bound !== undefined) return this.#refuse(operation, target, ` with ${bound}, which a new login does not have`);
    const session = this.#open(operation, target, sent);
    for (const body of prepared.values()) statementsIn([{ type: 'P', body: body.subarray(5) }], session.statements);
    this.#attempt(operation, target, async () => {
      const { socket } = await this.#login(target, startup);
      if (prepared.size > 0) await answered(socket, Buffer.concat([...prepared.values(), message('S', NOTHING)]));
      this.#splice(operation, session, socket);
    });
  }

  /** One that begins in the fork: the program is let in, whatever password it has. */
  #begin(operation: number, target: Target, begun: Buffer): void {
    this.#begun.set(operation, begun);
    if (asksToEncrypt(begun)) {
      this.#begun.set(operation, NOTHING);
      return this.#say({ operation, bytes: Buffer.from('N').toString('base64'), idle: true });
    }
    const startup = startupOf(begun);
    if (!startup) return;
    this.#begun.delete(operation);
    const session = this.#open(operation, target, NOTHING);
    this.#attempt(operation, target, async () => {
      const { socket, parameters, key } = await this.#login(target, startup);
      this.#say({ operation, bytes: welcome(parameters, key).toString('base64'), idle: true });
      this.#splice(operation, session, socket);
    });
  }

  #open(operation: number, target: Target, sent: Buffer): Session {
    const session: Session = { url: urlOf(target), socket: undefined, waiting: sent.length > 0 ? [sent] : [], client: new Frames(true), server: new Frames(true), statements: new Map(), asked: 0, listens: false };
    this.#sessions.set(operation, session);
    return session;
  }

  #attempt(operation: number, target: Target, attempt: () => Promise<void>): void {
    attempt().catch((error: unknown) => this.#refuse(operation, target, `: the new login failed: ${(error as Error).message}. The password is that of PGPASSWORD here, or of the variable whose recorded value was the URL of this database`));
  }

  async #login({ host, port }: Target, startup: Readonly<Record<string, string>>): Promise<Login> {
    const { user = '', database = user } = startup;
    const client = createClient({ host, port: Number(port), user, database, password: this.#passwordFor(user, database, port) ?? '', ssl: false });
    Object.assign(client, { getStartupConf: () => startup });
    const parameters = new Map<string, string>();
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter & { stream: Socket } };
    let key = { processID: 0, secretKey: 0 };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }) => parameters.set(parameterName, parameterValue));
    connection.on('backendKeyData', (data: typeof key) => (key = data));
    const { stream: socket } = connection;
    await client.connect().catch((error: unknown) => {
      // It would wait for the server to give up.
      socket.destroy();
      throw error;
    });
    for (const event of ['data', 'end', 'close', 'error']) socket.removeAllListeners(event);
    return { socket, parameters, key };
  }

  /** This machine's own: of the same variable, for the same database. */
  #passwordFor(user: string, database: string, port: number | null): string | undefined {
    for (const { value, local } of this.#options.named) {
      const [recorded, here] = [partsOf(value), partsOf(local)];
      if (recorded && here && recorded.user === user && recorded.database === database && recorded.port === String(port) && here.host === recorded.host && here.port === recorded.port) return here.password;
    }
    return this.#options.named.find(({ variable }) => variable === 'PGPASSWORD')?.local ?? this.#options.env['PGPASSWORD'];
  }

  #splice(operation: number, session: Session, socket: Socket): void {
    session.socket = socket;
    socket.on('data', (bytes) => {
      const types = [...session.server.feed(0, bytes)].map(({ type }) => type);
      const isLive = session.asked > 0;
      session.asked = 0;
      this.#say({ operation, bytes: bytes.toString('base64'), ...(isLive && { live: true }), ...(types.at(-1) === 'Z' && !session.listens && { idle: true }) });
    });
    socket.on('error', () => this.#say({ operation, reset: true }));
    socket.on('end', () => this.#say({ operation, end: true }));
    for (const bytes of session.waiting.splice(0)) this.#forward(session, bytes, false);
  }

  #forward(session: Session, bytes: Buffer, end: boolean): void {
    if (!session.socket) return void session.waiting.push(bytes);
    for (const sql of statementsIn([...session.client.feed(0, bytes)], session.statements)) {
      session.asked++;
      session.listens ||= /\bLISTEN\b/i.test(sql);
      this.#called(`${session.url} ${sql}`);
    }
    if (bytes.length > 0) session.socket.write(bytes);
    if (end) session.socket.end();
  }

  #refuse(operation: number, target: Target, why: string): void {
    this.#say({ operation, refused: `a PostgreSQL session with ${target.host}:${String(target.port)}${why}` });
  }

  #isLive(target: Target): boolean {
    return this.#options.live.some((pattern) => /^postgres(?:ql)?:\/\//.test(pattern) && [urlOf(target), urlOf({ ...target, host: 'localhost' })].slice(0, /^(?:127\.|::1$)/.test(target.host) ? 2 : 1).includes(pattern.replace(/^postgresql/, 'postgres').replace(/\/$/, '')));
  }

  #writesOf(operation: number): Buffer[] {
    return this.#options.events.flatMap((event) => (event.seq < this.#options.from && event.type === 'output' && event.kind === 'write' && event.operation === operation ? [event.data] : []));
  }

  /** With what is answered from the recording still: up to the next that the program sent. */
  #readsOf(operation: number): Buffer[] {
    const { events, from } = this.#options;
    const next = events.find((event) => event.seq >= from && event.type === 'output' && event.operation === operation)?.seq ?? Infinity;
    return events.flatMap((event) => (event.seq < next && event.type === 'delivery' && event.kind === 'read' && event.operation === operation && event.status > 0 ? [event.data] : []));
  }
}

function urlOf({ host, port }: Target): string {
  return `postgres://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

function partsOf(text: string | undefined): { readonly host: string; readonly port: string; readonly user: string; readonly password: string; readonly database: string } | undefined {
  if (text === undefined || !/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, port, username, password, pathname } = new URL(text);
  return { host: hostname, port: port === '' ? '5432' : port, user: decodeURIComponent(username), password: decodeURIComponent(password), database: decodeURIComponent(pathname.slice(1)) };
}

/** @throws Error that the server answers */
function answered(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const frames = new Frames(true);
    const heard = (data: Buffer): void => {
      for (const { type, body } of frames.feed(0, data)) {
        if (type === 'E') reject(new Error(`a statement cannot be prepared again (${body?.toString('utf8').split('\0').find((field) => field.startsWith('M'))?.slice(1) ?? ''})`));
        if (type !== 'Z') continue;
        socket.off('data', heard);
        resolve();
      }
    };
    socket.on('data', heard);
    socket.write(bytes);
  });
}
