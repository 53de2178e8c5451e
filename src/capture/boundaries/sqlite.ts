/**
 * node:sqlite. What a call answers is a value of the run: a replay opens no file and serves the answers, and what may
 * change a file is an output, which is compared. A database in memory is no world of its own: it runs for real in both
 * modes, so that the program's functions are called; its answers are served all the same, as SQL has clocks and chance.
 *
 * The program holds objects of ours, with the runtime's prototypes; behind them is a native object where there is one.
 */
import { apply, bufferFrom, captureStackTrace, construct, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { createStash, type Stash } from '../../runtime/stash.ts';
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { attempt } from '../read-value.ts';
import type { Session } from '../session.ts';
import { keyOf } from './sqlite-key.ts';
import { isInMemory, mayWrite, reachesFiles } from './sqlite-text.ts';

/** The module as it is exported; Node 26 has two names for each class. */
export type Sqlite = Record<'DatabaseSync' | 'StatementSync', AnyFunction> & Partial<Record<'Database' | 'backup', AnyFunction>>;

/** What is used of the runtime's own; Node 20, whose types these are, has none. */
interface DatabaseSync {
  readonly isOpen: boolean;
  readonly isTransaction?: boolean;
  close(): void;
}

interface Database {
  readonly operation: number;
  readonly inMemory: boolean;
  /** Whether native code does the work: when recording, and in memory. */
  readonly isLive: boolean;
  isOpen: boolean;
  inTransaction: boolean;
  native: DatabaseSync | undefined;
}

/** What stands behind an object that the program holds. */
interface Behind {
  readonly database: Database;
  readonly native: object | undefined;
  /** Text of a statement. */
  readonly sql: string | undefined;
  /** The program's database, of a store of statements. */
  readonly owner?: object;
}

type Shape = 'database' | 'statement' | 'iterator' | 'tags';

const EXECUTING: readonly PropertyKey[] = ['get', 'all', 'run', 'iterate'];
/** What needs the database itself: functions of the program, and what takes or replaces it whole. */
const NEEDS_DATABASE: readonly PropertyKey[] = ['function', 'aggregate', 'setAuthorizer', 'createModule', 'createSession', 'applyChangeset', 'deserialize'];
/** They take functions of the program, and answer nothing. */
const REGISTERING: readonly PropertyKey[] = ['function', 'aggregate', 'setAuthorizer', 'createModule'];

export function installSqlite(session: Session, sqlite: Sqlite): void {
  const boundary = new SqliteBoundary(session, sqlite.DatabaseSync);
  const { DatabaseSync: database, StatementSync: statement } = sqlite;
  const { prepare } = database.prototype as Record<string, AnyFunction>;
  const { iterate } = statement.prototype as Record<string, AnyFunction>;
  const { createTagStore } = database.prototype as Record<string, AnyFunction | undefined>;
  boundary.patchAll(database.prototype as object, (call) => boundary.onDatabase(call));
  boundary.patchAll(statement.prototype as object, (call) => boundary.onStatement(call));
  const look = (native: object): Record<Shape, object | undefined> => {
    const prepared = apply(prepare as AnyFunction, native, ['SELECT 1']) as object;
    const iterator = apply(iterate as AnyFunction, prepared, []) as object;
    const tags = createTagStore && (apply(createTagStore, native, []) as object);
    boundary.patchAll(getPrototypeOf(iterator) as object, (call) => boundary.onIterator(call));
    if (tags) boundary.patchAll(getPrototypeOf(tags) as object, (call) => boundary.onTags(call));
    return { database: native, statement: prepared, iterator, tags };
  };
  const shim = disguiseConstructor(database, (target, args) => boundary.construct(target, args, look));
  for (const name of ['DatabaseSync', 'Database'] as const) if (sqlite[name]) patchValue(sqlite, name, shim);
  patchMethod(sqlite, 'backup', (native) => function backup(this: unknown, ...args: unknown[]): unknown {
    return session.uncaptured('node:sqlite (backup)', () => apply(native, this, args.map((arg) => boundary.nativeOf(arg))) as unknown);
  });
}

/** A method of the program's object is called. */
interface Call {
  readonly object: object;
  readonly behind: Behind;
  readonly name: PropertyKey;
  readonly args: unknown[];
  /** Stacks of errors begin at its caller. */
  readonly below: AnyFunction;
  readonly live: () => unknown;
}

class SqliteBoundary {
  readonly #session: Session;
  readonly #Native: AnyFunction;
  readonly #behind: Stash<Behind> = createStash();
  readonly #sessions: Stash<Database> = createStash();
  readonly #shapes: Map<Shape, { readonly prototype: object; readonly properties: PropertyDescriptorMap }> = new Map();
  #sessionsPatched = false;

  constructor(session: Session, Native: AnyFunction) {
    this.#session = session;
    this.#Native = Native;
  }

  patchAll(prototype: object, on: (call: Call) => unknown): void {
    const behinds = this.#behind;
    for (const name of ownKeys(prototype)) {
      if (name === 'constructor') continue;
      patchMethod(prototype, name, (native) => function method(this: object, ...args: unknown[]): unknown {
        const behind = behinds.get(this);
        const live = (): unknown => apply(native, behind ? behind.native : this, args) as unknown;
        return behind ? on({ object: this, behind, name, args, below: method, live }) : live();
      });
    }
  }

  construct(target: AnyFunction, args: unknown[], look: (native: object) => Record<Shape, object | undefined>): object {
    if (this.#shapes.size === 0) this.#takeApart(look);
    const inMemory = isInMemory(args[0]);
    const isLive = this.#session.effect(() => true, inMemory);
    const operation = this.#session.operation('sqlite', keyOf('open', args), () => false);
    const database: Database = { operation, inMemory, isLive, isOpen: false, inTransaction: false, native: undefined };
    this.#ask(database, 'new', [], target, () => void (database.native = construct(this.#Native, args) as DatabaseSync));
    database.isOpen = (args[1] as { open?: boolean } | undefined)?.open !== false;
    return this.#stand('database', { database, native: database.native, sql: undefined }, (target as { prototype: object }).prototype);
  }

  onDatabase(call: Call): unknown {
    const { object, behind: { database }, name, args, below, live } = call;
    if (typeof name === 'symbol') return void attempt(() => (object as DatabaseSync).close());
    if (!database.inMemory && NEEDS_DATABASE.includes(name)) return this.#session.uncaptured(`node:sqlite (${String(name)} on a database file)`, live);
    if (name === 'loadExtension' || (name === 'enableLoadExtension' && args[0] === true)) return this.#session.uncaptured(`node:sqlite (${name})`, live);
    if (REGISTERING.includes(name)) return live();
    if (name === 'exec') return this.#execute(call, args[0], []);
    if (name === 'prepare') {
      const sql = this.#inItsPlace(database, args[0]);
      return this.#made('statement', call, sql);
    }
    if (name === 'createTagStore') return this.#made('tags', call, undefined, object);
    if (name === 'createSession') return this.#gathering(live() as object, database);
    const result = this.#ask(database, String(name), args, below, live);
    if (name === 'open') database.isOpen = true;
    if (name === 'close') Object.assign(database, { isOpen: false, inTransaction: false });
    return result;
  }

  onStatement(call: Call): unknown {
    const { object, behind: { database, sql }, name, args, below, live } = call;
    if (typeof name === 'symbol') return void attempt(() => (object as { close(): void }).close());
    if (EXECUTING.includes(name)) return this.#execute(call, sql, args);
    return this.#ask(database, String(name), [sql, ...args], below, live);
  }

  /** A template and its values: db.sql.get`SELECT ${1}`. */
  onTags(call: Call): unknown {
    const { behind: { database, native }, name, args, below } = call;
    const [strings, ...values] = args;
    // The methods of one store take no other.
    const live = (): unknown => apply((native as Record<PropertyKey, AnyFunction>)[name] as AnyFunction, native, args);
    if (!EXECUTING.includes(name) || !Array.isArray(strings)) return this.#ask(database, String(name), [], below, live);
    return this.#execute({ ...call, live }, strings.join('?'), values);
  }

  onIterator({ behind: { database, sql }, name, below, live }: Call): unknown {
    return this.#ask(database, String(name), [sql], below, live);
  }

  nativeOf(arg: unknown): unknown {
    return (typeof arg === 'object' && arg !== null && this.#behind.get(arg)?.native) || arg;
  }

  /** A statement at work. What may change a file is told before it does. */
  #execute(call: Call, sql: unknown, params: unknown[]): unknown {
    const { behind: { database }, name, below, live } = call;
    const method = String(name);
    const text = this.#inItsPlace(database, sql);
    if (!database.inMemory && text !== undefined && (name === 'exec' || mayWrite(text))) {
      const written = bufferFrom(params.length === 0 ? text : `${text}\n${keyOf('with', params)}`, 'utf8');
      this.#session.send(database.operation, 'write', written, () => ({ code: 0, bytes: written.length, async: 0 }));
    }
    if (name === 'iterate') return this.#made('iterator', call, text, undefined, params);
    return this.#ask(database, method, [sql, ...params], below, live);
  }

  /** Refuses a statement by which a database in memory would reach a file. @returns the text, undefined where it is none */
  #inItsPlace(database: Database, sql: unknown): string | undefined {
    if (typeof sql !== 'string') return undefined;
    return database.inMemory && reachesFiles(sql) ? this.#session.uncaptured('node:sqlite (a file, from a database in memory)', () => sql) : sql;
  }

  /** What a call makes is an object of ours, with what the runtime made behind it. */
  #made(shape: Shape, { behind: { database }, name, args, below, live }: Call, sql: string | undefined, owner?: object, params?: unknown[]): object {
    let native: object | undefined;
    this.#ask(database, String(name), params ? [sql, ...params] : args, below, () => void (native = live() as object));
    return this.#stand(shape, { database, native, sql, ...(owner && { owner }) });
  }

  #stand(shape: Shape, behind: Behind, prototype?: object): object {
    const { prototype: own, properties } = this.#shapes.get(shape) as { prototype: object; properties: PropertyDescriptorMap };
    const object = Object.create(prototype ?? own, properties) as object;
    this.#behind.set(object, behind);
    return object;
  }

  /** Which properties the runtime's objects have. */
  #takeApart(look: (native: object) => Record<Shape, object | undefined>): void {
    const native = construct(this.#Native, [':memory:']) as DatabaseSync;
    for (const [shape, like] of Object.entries(look(native))) {
      if (!like) continue;
      const properties = Object.fromEntries(ownKeys(like).map((key) => [key, this.#shown(String(key), getOwnPropertyDescriptor(like, key) as PropertyDescriptor)]));
      this.#shapes.set(shape as Shape, { prototype: getPrototypeOf(like) as object, properties });
    }
    native.close();
  }

  #shown(name: string, descriptor: PropertyDescriptor): PropertyDescriptor {
    const native = descriptor.get as AnyFunction | undefined;
    if (!native) return descriptor;
    const boundary = this;
    const get = function (this: object): unknown {
      const behind = boundary.#behind.get(this);
      if (!behind) return apply(native, this, []) as unknown;
      const { database, owner, sql } = behind;
      if (name === 'isOpen') return database.isOpen;
      if (name === 'isTransaction' && database.isOpen) return database.inTransaction;
      if (name === 'db') return owner;
      return boundary.#ask(database, name, sql === undefined ? [] : [sql], get, () => (behind.native as Record<string, unknown>)[name]);
    };
    return { ...descriptor, get: disguise(get, native) };
  }

  /** A session of changes holds what statements wrote, clocks included. */
  #gathering(native: object, database: Database): object {
    this.#sessions.set(native, database);
    if (this.#sessionsPatched) return native;
    this.#sessionsPatched = true;
    const [boundary, sessions] = [this, this.#sessions];
    for (const name of ['changeset', 'patchset']) {
      patchMethod(getPrototypeOf(native) as object, name, (method) => function gathered(this: object): unknown {
        const own = sessions.get(this);
        const live = (): unknown => apply(method, this, []) as unknown;
        return own ? boundary.#ask(own, name, [], gathered, live) : live();
      });
    }
    return native;
  }

  #ask(database: Database, method: string, args: unknown[], below: AnyFunction, live: () => unknown): unknown {
    // Not within the value: functions of the program that SQL calls have values of their own.
    const fresh = database.isLive ? attempt(live) : undefined;
    let recording: Outcome | undefined;
    const { status, data } = this.#session.value('sqlite-value', keyOf(method, [database.operation, ...args]), () => {
      recording = fresh ?? { result: undefined };
      database.inTransaction = database.native?.isOpen === true && database.native.isTransaction === true;
      return { status: Number(database.inTransaction), data: encodeOutcome(recording) };
    });
    if (recording) return settled(recording, below);
    database.inTransaction = status === 1;
    const isSame = fresh !== undefined && encodeOutcome(fresh).compare(data) === 0;
    return settled(isSame ? fresh : decodeOutcome(data), below);
  }
}

function settled(outcome: Outcome, below: AnyFunction): unknown {
  if (!('error' in outcome)) return outcome.result;
  // What a function of the program threw comes through as it is.
  const { code } = Object(outcome.error) as NodeJS.ErrnoException;
  if (typeof code === 'string' && code.startsWith('ERR_')) captureStackTrace(outcome.error as object, below);
  throw outcome.error;
}
