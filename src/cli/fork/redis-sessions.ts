/** Sessions of Redis in a fork: each is introduced anew as it was, but for the password, which is this machine's own wherever the program sends one. */
import type { Socket } from 'node:net';
import type { Target } from '../../replay/fork/world.ts';
import type { Command } from '../../steps/redis/command.ts';
import { type Reply, RespReader } from '../../steps/redis/resp.ts';
import { LiveSessions, type Place, type Protocol, type Session } from './live-sessions.ts';
import type { Piece } from './recorded-connections.ts';
import { asksRedisFirst, encoded, isCommand, type Login, loginOf, readConnection, RedisState, withLogin, wordsOf } from './redis-wire.ts';

interface RedisSession extends Session {
  readonly state: RedisState;
  readonly client: RespReader;
  readonly server: RespReader;
  /** Of a command that has not come whole. */
  readonly begun: Buffer[];
  /** Logins whose password was replaced. */
  readonly logins: WeakSet<Command>;
}

interface Out {
  /** Undefined: it asks for nothing. */
  readonly told: string | undefined;
  readonly bytes: Buffer;
}

const BY_NAME = ['REDIS_PASSWORD', 'REDISCLI_AUTH'];
const NO_COMMAND = ' in which the program sends something that is no command';
const REJECTED = /^(?:WRONGPASS|ERR invalid password)/;

export class RedisSessions extends LiveSessions<RedisSession> {
  protected readonly protocol: Protocol = { name: 'Redis', schemes: ['redis'], secure: 'rediss', port: 6379, password: 'that of the variable whose recorded value was the URL of this server, or was the recorded password (REDIS_PASSWORD), as it is set here' };

  protected begins(bytes: Buffer): boolean {
    return asksRedisFirst(bytes);
  }

  protected session(place: Place): RedisSession {
    return { ...place, socket: undefined, waiting: [], isEnded: false, state: new RedisState(), client: new RespReader(), server: new RespReader(), begun: [], logins: new WeakSet() };
  }

  protected adopt(session: RedisSession, had: readonly Piece[], left: readonly Buffer[]): void {
    const { introduction, owed, bound } = readConnection(had, left);
    if (bound !== undefined) return this.refuse(session, ` with ${bound}, which a new connection does not have`);
    for (const bytes of owed) this.options.say({ operation: session.operation, bytes: bytes.toString('base64') });
    this.attempt(session, async () => {
      const again = introduction.map((command) => this.#asOwn(session.target, command));
      const socket = await this.connect(session.target);
      await introduced(socket, introduction, again).catch((error: unknown) => {
        socket.destroy();
        throw error;
      });
      return socket;
    });
  }

  /** It introduces itself. */
  protected begin(place: Place, begun: Buffer): undefined {
    const session = this.open(place);
    session.waiting.push(begun);
    this.attempt(session, () => this.connect(place.target));
  }

  protected outgoing(session: RedisSession, bytes: Buffer): Buffer | undefined {
    const out: Out[] = [];
    let from = 0;
    for (const { reply, end } of session.client.feed(0, bytes)) {
      const goes = this.#command(session, reply, Buffer.concat([...session.begun.splice(0), bytes.subarray(from, end)]));
      if (!goes) return undefined;
      out.push(goes);
      from = end;
    }
    if (session.client.broken) return void this.refuse(session, NO_COMMAND);
    if (from < bytes.length) session.begun.push(bytes.subarray(from));
    for (const { told } of out) if (told !== undefined) this.called(session, told);
    return Buffer.concat(out.map((one) => one.bytes));
  }

  protected incoming(session: RedisSession, bytes: Buffer): boolean {
    for (const { reply } of session.server.feed(0, bytes)) {
      const command = session.state.answered(reply);
      if (!command || reply.type !== 'error' || !session.logins.has(command) || !REJECTED.test(reply.text)) continue;
      this.failed(session, new Error(reply.text));
      return false;
    }
    return true;
  }

  protected isQuiet({ state, server }: RedisSession): boolean {
    return state.waiting.length === 0 && server.between && !state.hears;
  }

  /** @returns what goes out for it; undefined: it was refused */
  #command(session: RedisSession, reply: Reply, bytes: Buffer): Out | undefined {
    if (!isCommand(reply)) return void this.refuse(session, NO_COMMAND);
    const command = session.state.asked(reply);
    if (!command) return { told: undefined, bytes };
    const { name, told } = command;
    if (!loginOf(command)) {
      const held = this.options.heldIn(bytes);
      return held === undefined ? { told, bytes } : void this.refuse(session, `, whose ${name} holds ${held}: it does not leave`);
    }
    session.logins.add(command);
    try {
      return { told, bytes: encoded(this.#asOwn(session.target, command)) };
    } catch (error) {
      return void this.failed(session, error as Error);
    }
  }

  /** @throws Error where this machine has no password in place of the recorded one */
  #asOwn(target: Target, command: Command): readonly Buffer[] {
    const login = loginOf(command);
    return login ? withLogin(command, this.#ownOf(target, login)) : wordsOf(command);
  }

  #ownOf(target: Target, { user, password }: Login): Login {
    const { named, env } = this.options;
    const url = this.urlsOf(target).find(({ recorded }) => recorded.password === password)?.here;
    // Two servers may have two passwords: a variable that was recorded with another one is of the other.
    const byName = BY_NAME.find((name) => env[name] !== undefined && !named.some(({ variable }) => variable === name));
    const own = url?.password ?? named.find(({ value, local }) => value !== '' && value === password && local !== undefined)?.local ?? (byName && env[byName]);
    if (own === undefined) throw new Error('the recorded password does not leave, and this machine has no other');
    const other = url === undefined || url.user === '' || url.user === (user ?? 'default') ? user : url.user;
    // A server without passwords takes any from its default user, but only by that name.
    return { user: own === '' ? (other ?? 'default') : other, password: own };
  }
}

/** @throws Error that the server answers */
function introduced(socket: Socket, commands: readonly Command[], again: readonly (readonly Buffer[])[]): Promise<void> {
  if (again.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const reader = new RespReader();
    let answered = 0;
    const ended = (): void => reject(new Error('the server closed the connection'));
    const heard = (bytes: Buffer): void => {
      for (const { reply } of reader.feed(0, bytes)) {
        const command = commands[answered++] as Command;
        // What a client says of itself is not known to every server.
        if (reply.type === 'error' && command.name !== 'CLIENT') reject(new Error(`${command.name}: ${reply.text}`));
      }
      if (answered < again.length) return;
      for (const [event, listener] of [['data', heard], ['error', reject], ['close', ended]] as const) socket.off(event, listener);
      resolve();
    };
    socket.on('data', heard).on('error', reject).on('close', ended);
    socket.write(Buffer.concat(again.map(encoded)));
  });
}
