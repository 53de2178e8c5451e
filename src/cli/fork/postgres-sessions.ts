/** Sessions of PostgreSQL in a fork: each is logged in anew with this machine's own password, and prepares again what it had prepared. */
import type { Socket } from 'node:net';
import type { Target } from '../../replay/fork/world.ts';
import { Frames } from '../../steps/postgres/frames.ts';
import { createClient } from '../../store/sql/pool.ts';
import { LiveSessions, type Place, type Protocol, type Session } from './live-sessions.ts';
import { asksToEncrypt, isLogin, message, readSession, startupOf, statementsIn, welcome } from './postgres-wire.ts';
import type { Piece } from './recorded-connections.ts';

interface PostgresSession extends Session {
  readonly client: Frames;
  readonly server: Frames;
  /** SQL of prepared statements, by name. */
  readonly statements: Map<string, string>;
  /** The server waits for the next statement. */
  isReady: boolean;
  /** Something may come at any time. */
  listens: boolean;
}

interface Login {
  readonly socket: Socket;
  readonly parameters: ReadonlyMap<string, string>;
  readonly key: { readonly processID: number; readonly secretKey: number };
}

const NOTHING = Buffer.alloc(0);

export class PostgresSessions extends LiveSessions<PostgresSession> {
  protected readonly protocol: Protocol = { name: 'PostgreSQL', schemes: ['postgres', 'postgresql'], port: 5432, password: 'that of PGPASSWORD here, or of the variable whose recorded value was the URL of this database' };

  protected begins(bytes: Buffer): boolean {
    return isLogin(bytes);
  }

  protected session(place: Place): PostgresSession {
    return { ...place, socket: undefined, waiting: [], isEnded: false, client: new Frames(true), server: new Frames(true), statements: new Map(), isReady: true, listens: false };
  }

  protected adopt(session: PostgresSession, had: readonly Piece[]): void {
    const { startup, prepared, bound } = readSession(had.flatMap(({ isSent, bytes }) => (isSent ? [bytes] : [])), had.flatMap(({ isSent, bytes }) => (isSent ? [] : [bytes])));
    if (bound !== undefined) return this.refuse(session, ` with ${bound}, which a new login does not have`);
    for (const body of prepared.values()) statementsIn([{ type: 'P', body: body.subarray(5) }], session.statements);
    this.attempt(session, async () => {
      const { socket } = await this.#login(session.target, startup);
      if (prepared.size > 0) await answered(socket, Buffer.concat([...prepared.values(), message('S', NOTHING)]));
      return socket;
    });
  }

  /** The program is let in, whatever password it has. */
  protected begin(place: Place, begun: Buffer): Buffer | undefined {
    const { operation, target } = place;
    if (asksToEncrypt(begun)) {
      this.options.say({ operation, bytes: Buffer.from('N').toString('base64'), idle: true });
      return NOTHING;
    }
    const startup = startupOf(begun);
    if (!startup) return begun;
    this.attempt(this.open(place), async () => {
      const { socket, parameters, key } = await this.#login(target, startup);
      this.options.say({ operation, bytes: welcome(parameters, key).toString('base64'), idle: true });
      return socket;
    });
    return undefined;
  }

  protected outgoing(session: PostgresSession, bytes: Buffer): Buffer | undefined {
    session.isReady = false;
    const messages = [...session.client.feed(0, bytes)];
    const held = messages.map(({ body }) => (body ? this.options.heldIn(body) : undefined)).find((found) => found !== undefined);
    if (held !== undefined) return void this.refuse(session, `, of which a statement holds ${held}: it does not leave`);
    for (const sql of statementsIn(messages, session.statements)) {
      session.listens ||= /\bLISTEN\b/i.test(sql);
      this.called(session, sql);
    }
    return bytes;
  }

  protected incoming(session: PostgresSession, bytes: Buffer): boolean {
    const types = [...session.server.feed(0, bytes)].map(({ type }) => type);
    session.isReady = types.at(-1) === 'Z';
    return true;
  }

  protected isQuiet({ isReady, listens }: PostgresSession): boolean {
    return isReady && !listens;
  }

  async #login({ host, port }: Target, startup: Readonly<Record<string, string>>): Promise<Login> {
    const { user = '', database = user } = startup;
    const client = createClient({ host, port: Number(port), user, database, password: this.#passwordFor(user, database, { host, port, secure: false }) ?? '', ssl: false });
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
  #passwordFor(user: string, database: string, target: Target): string | undefined {
    const { named, env } = this.options;
    const same = this.urlsOf(target).find(({ recorded }) => recorded.user === user && recorded.database === database);
    return same ? same.here.password : (named.find(({ variable }) => variable === 'PGPASSWORD')?.local ?? env['PGPASSWORD']);
  }
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
