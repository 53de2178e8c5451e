/** What a fork reads of a connection to Redis: how it was introduced, and whether a new one can stand in for it. */
import { type Command, passwordsOfLogin } from '../../steps/redis/command.ts';
import { Pairing } from '../../steps/redis/pairing.ts';
import { type Reply, RespReader } from '../../steps/redis/resp.ts';
import { textOf } from '../../steps/redis/show.ts';
import type { Piece } from './recorded-connections.ts';

/** A command as it goes over the wire, its name first. */
export type Words = readonly Buffer[];

export interface Login {
  /** Undefined: the default one. */
  readonly user: string | undefined;
  readonly password: string;
}

/** What a connection says of itself: it holds for all that it asks from there on. */
const LASTING: ReadonlySet<string> = new Set(['HELLO', 'AUTH', 'SELECT', 'READONLY', 'READWRITE', 'CLIENT SETNAME', 'CLIENT SETINFO', 'CLIENT NO-EVICT', 'CLIENT NO-TOUCH', 'CLIENT CAPA']);
/** They may take as long as they like. */
const BLOCKING: ReadonlySet<string> = new Set(['BLPOP', 'BRPOP', 'BLMOVE', 'BLMPOP', 'BRPOPLPUSH', 'BZPOPMIN', 'BZPOPMAX', 'BZMPOP', 'WAIT', 'WAITAOF']);
const QUEUED = { type: 'text', text: 'QUEUED' } as const satisfies Reply;
const DONE: Reply = { type: 'array', items: [], count: 0 };
const LISTENING: ReadonlySet<string> = new Set(['MONITOR', 'SYNC', 'PSYNC']);

/** Whether these bytes are, or may become, the first of a client. */
export function asksRedisFirst(bytes: Buffer): boolean {
  return bytes.length > 0 && /^\*(?:[1-9]\d{0,6}(?:\r(?:\n(?:\$[^]*)?)?)?)?$/.test(bytes.toString('latin1', 0, 16));
}

export function wordsOf({ name, args }: Command): Words {
  return [Buffer.from(name), ...args.map((arg) => ('bytes' in arg && arg.bytes) || Buffer.from(textOf(arg) ?? ''))];
}

/** Whether this is a command as clients send them. */
export function isCommand(reply: Reply): boolean {
  return reply.type === 'array' && reply.items.every(({ type }) => type === 'bulk');
}

export function encoded(words: Words): Buffer {
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...words.flatMap((word) => [Buffer.from(`$${word.length}\r\n`), word, Buffer.from('\r\n')])]);
}

/** Of a login: who logs in, by which password. @returns undefined: this is none */
export function loginOf(command: Command): Login | undefined {
  const args = command.args.map((arg) => textOf(arg) ?? '');
  const at = passwordsOfLogin(command.name, upper(command)).at(-1);
  if (at === undefined) return undefined;
  const isAlone = command.name === 'AUTH' && args.length === 1;
  return { user: isAlone ? undefined : args[at - 1], password: args[at] ?? '' };
}

/** The same login by somebody else, or by another password. */
export function withLogin(command: Command, { user, password }: Login): Words {
  if (command.name === 'AUTH') return ['AUTH', ...(user === undefined ? [] : [user]), password].map((word) => Buffer.from(word));
  const args = command.args.map((arg) => textOf(arg) ?? '');
  for (const at of passwordsOfLogin(command.name, upper(command))) args.splice(at - 1, 2, user ?? 'default', password);
  return [command.name, ...args].map((word) => Buffer.from(word));
}

/** One connection, as far as it has come. */
export class RedisState {
  readonly #introduction: { readonly of: string; readonly command: Command }[] = [];
  readonly #pairing = new Pairing();
  readonly #client = new RespReader();
  readonly #server = new RespReader();
  /** What waits for EXEC. */
  #queued: Command[] | undefined;
  #watches = false;
  #tracks = false;
  #listens = false;

  /** Commands that a new connection is introduced by. */
  get introduction(): Command[] {
    return this.#introduction.map(({ command }) => command);
  }

  get waiting(): readonly Command[] {
    return this.#pairing.waiting;
  }

  /** Nothing is under way. */
  get isSettled(): boolean {
    return this.waiting.length === 0 && this.#server.between;
  }

  /** Something may come at any time. */
  get hears(): boolean {
    return this.#listens || this.#tracks || this.#pairing.isSubscribed;
  }

  /** What holds the connection to its own state, in words. */
  get bound(): string | undefined {
    const [unanswered] = this.waiting;
    if (unanswered) return `a command that is not answered yet (${unanswered.name})`;
    if (!this.#client.between || !this.#server.between) return 'a command that is under way in part';
    if (this.#queued) return 'an open transaction (MULTI)';
    if (this.#watches) return 'keys that it watches (WATCH)';
    if (this.#pairing.isSubscribed) return 'channels that it is subscribed to (SUBSCRIBE)';
    if (this.#listens) return 'commands of others that it is told of (MONITOR)';
    if (this.#tracks) return 'keys that it is told of (CLIENT TRACKING)';
    return this.#pairing.isSilent ? 'its answers turned off (CLIENT REPLY OFF)' : undefined;
  }

  sent(bytes: Buffer): void {
    for (const { reply } of this.#client.feed(0, bytes)) this.asked(reply);
  }

  /** Stops where all is answered. @returns how many of these bytes it took */
  received(bytes: Buffer): number {
    for (const { reply, end } of this.#server.feed(0, bytes)) {
      this.answered(reply);
      if (this.waiting.length === 0) return end;
    }
    return bytes.length;
  }

  asked(words: Reply): Command | undefined {
    const command = this.#pairing.ask(words);
    // What nobody answers is taken for done.
    if (command && this.waiting.at(-1) !== command) this.#note(command, this.#queued && command.name !== 'EXEC' ? QUEUED : DONE);
    return command;
  }

  /** @returns the command that this is the answer to */
  answered(reply: Reply): Command | undefined {
    const command = this.#pairing.answer({ reply, seqs: [] }, 0);
    if (command) this.#note(command, reply);
    return command;
  }

  #note(command: Command, reply: Reply): void {
    const { name } = command;
    if (name === 'EXEC' || name === 'DISCARD') {
      const queued = this.#queued ?? [];
      this.#queued = undefined;
      this.#watches = false;
      if (name === 'EXEC' && reply.type === 'array') for (const one of queued) this.#did(one);
    } else if (reply.type === 'error') return;
    else if (this.#queued && textOf(reply) === QUEUED.text) this.#queued.push(command);
    else this.#did(command);
  }

  #did(command: Command): void {
    const { name } = command;
    const [verb = '', wish = ''] = upper(command);
    if (name === 'MULTI') this.#queued = [];
    else if (name === 'WATCH') this.#watches = true;
    else if (name === 'UNWATCH') this.#watches = false;
    else if (LISTENING.has(name)) this.#listens = true;
    else if (name === 'CLIENT' && verb === 'TRACKING') this.#tracks = wish === 'ON';
    else if (name === 'RESET') this.#reset();
    else this.#keep(command, name === 'CLIENT' ? `${name} ${verb}` : name, wish);
  }

  /** The last of several that say the same. */
  #keep(command: Command, what: string, wish: string): void {
    if (!LASTING.has(what) || (what === 'HELLO' && command.args.length === 0)) return;
    const of = what === 'HELLO' ? `${what} ${command.args.length}` : what === 'CLIENT SETINFO' ? `${what} ${wish}` : what;
    if (this.#introduction.at(-1)?.of === of) this.#introduction.pop();
    this.#introduction.push({ of, command });
  }

  #reset(): void {
    this.#introduction.length = 0;
    this.#queued = undefined;
    this.#watches = this.#tracks = this.#listens = false;
  }
}

export interface Adopted {
  readonly introduction: readonly Command[];
  /** Answers to what was asked before, which the program is still given. */
  readonly owed: readonly Buffer[];
  /** What no new connection has, in words. */
  readonly bound: string | undefined;
}

/** @param had by the program @param left what came in after that in the recording */
export function readConnection(had: readonly Piece[], left: readonly Buffer[]): Adopted {
  const state = new RedisState();
  for (const { isSent, bytes } of had) {
    if (isSent) state.sent(bytes);
    else for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(state.received(rest));
  }
  const owed: Buffer[] = [];
  // When such a one is answered is for the others to say that the server has now.
  if (!state.waiting.some(blocks)) for (const bytes of left) if (!state.isSettled) owed.push(bytes.subarray(0, state.received(bytes)));
  return { introduction: state.introduction, owed, bound: state.bound };
}

function blocks(command: Command): boolean {
  return BLOCKING.has(command.name) || (/^XREAD/.test(command.name) && upper(command).includes('BLOCK'));
}

function upper({ args }: Command): string[] {
  return args.map((arg) => textOf(arg)?.toUpperCase() ?? '');
}
