/**
 * TCP, Unix-socket and standard-stream handles: everything of Node's own JavaScript, undici, pg and every SDK runs for
 * real on top of them, in both modes.
 */
import type { Kind } from '../../model/event.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { handlePrototypes, type Prototypes } from '../../runtime/bindings.ts';
import { apply, getOwnPropertyDescriptor, jsonStringify } from '../../runtime/natives.ts';
import { isOwn } from '../../runtime/own.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Deliver, Session } from '../session.ts';
import { createStreamState, deliverRead, defineReadings, installStreamMethods, type StreamHandle, type StreamState, tapReads } from './streams.ts';

export interface HandleState extends StreamState {
  refed: boolean;
  closed: boolean;
  onConnected: Deliver | undefined;
  /** Of a server: somebody connects. */
  onConnection: Deliver | undefined;
  onClosed: Deliver | undefined;
  /** Of a handle that is no stream: everything but its closing. */
  onOther?: Deliver;
}

interface ConnectRequest {
  oncomplete: AnyFunction;
}

/** Methods by which the use of a terminal's handle begins. */
const FIRST_USES = ['readStart', 'shutdown', 'writeBuffer', 'writev', 'writeAsciiString', 'writeLatin1String', 'writeUtf8String', 'writeUcs2String'];

const callComplete = calledAs('oncomplete');

export interface Handles {
  /** Takes up a stream that the runtime has opened by another way than connecting. @returns its operation */
  adopt(handle: object, kind: Kind, key: string): number;
  /** As `adopt`, for one that the runtime is reading from already, and that keeps no loop alive. */
  adoptReading(handle: StreamHandle, kind: Kind, key: string): number;
  /** Follows the life of a handle that is no stream. @returns its operation */
  follow(handle: object, kind: Kind, key: string, deliver: Deliver): number;
  /** Records a handle from here on, as an operation of this kind. */
  own(handle: object, kind: Kind, key: string): HandleState;
  /** State of a handle that the harness records; undefined for all others. */
  find(handle: object): HandleState | undefined;
  /** Operation of a handle that the harness records; undefined for all others. */
  operationOf(handle: object): number | undefined;
  /** Tells the descriptor of a terminal's handle, which has opened the terminal anew under another number. */
  isStandardStream(handle: object, fd: number): void;
  /** The process ends: tells what of its standard streams has not left. */
  tellUnsent(): void;
}

export function installHandles(session: Session): Handles {
  session.owns('TCPWRAP', 'TCPCONNECTWRAP', 'PIPEWRAP', 'PIPECONNECTWRAP', 'TTYWRAP', 'WRITEWRAP', 'SHUTDOWNWRAP');
  const prototypes = handlePrototypes();
  const states = createStash<HandleState>();

  const standard: { readonly handle: object; readonly state: HandleState }[] = [];

  const know = (handle: object): HandleState => {
    const state: HandleState = { ...createStreamState(handle), refed: true, closed: false, onConnected: undefined, onConnection: undefined, onClosed: undefined };
    states.set(handle, state);
    return state;
  };
  const own = (handle: object, kind: Kind, key: string): HandleState => {
    const state = know(handle);
    defineReadings(handle, prototypes.stream, state, session);
    if (kind === 'stdio') standard.push({ handle, state });
    state.operation = session.operation(kind, key, (what, status, data) => deliver(handle, state, what, status, data));
    return state;
  };

  patchConnects(prototypes, session, own);
  const descriptors = createStash<number>();
  patchStdio(prototypes, session, (handle) => {
    if (!states.get(handle)) own(handle, 'stdio', `[${descriptors.get(handle) ?? 1}]`);
  }, own);
  patchLifetime(prototypes, session, states.get);
  patchReadings(prototypes, session, states.get);
  installStreamMethods(prototypes.stream, session, states.get);
  const queueSize = getOwnPropertyDescriptor(prototypes.stream, 'writeQueueSize')?.get as AnyFunction;
  return {
    adopt: (handle, kind, key) => own(handle, kind, key).operation,
    adoptReading: (handle, kind, key) => {
      const state = own(handle, kind, key);
      state.refed = false;
      tapReads(handle, state, session);
      return state.operation;
    },
    follow: (handle, kind, key, deliverOther) => {
      const state = know(handle);
      state.onOther = deliverOther;
      state.operation = session.operation(kind, key, (what, status, data) => deliver(handle, state, what, status, data));
      return state.operation;
    },
    own,
    find: states.get,
    operationOf: (handle) => states.get(handle)?.operation,
    isStandardStream: descriptors.set,
    tellUnsent: () => {
      for (const { handle, state } of standard) {
        if (state.writes.size > 0) session.unsent(state.operation, () => apply(queueSize, handle, []) as number);
      }
    },
  };
}

type Own = (handle: object, kind: Kind, key: string) => HandleState;
type Find = (handle: object) => HandleState | undefined;

function deliver(handle: object, state: HandleState, what: Kind, status: number, data: Buffer): void | false {
  switch (what) {
    case 'connected':
      return state.onConnected?.(what, status, data);
    case 'connection':
      return state.closed ? false : state.onConnection?.(what, status, data);
    case 'closed':
      return state.onClosed ? state.onClosed(what, status, data) : false;
    case 'read':
      return state.closed ? false : deliverRead(handle, state, status, data);
    case 'written': {
      const write = state.writes.get(data.readUInt32LE(0));
      state.writes.delete(data.readUInt32LE(0));
      return write ? write(what, status, data) : false;
    }
    default:
      return state.onOther ? state.onOther(what, status, data) : false;
  }
}

function patchConnects(prototypes: Prototypes, session: Session, own: Own): void {
  const connect = (kind: Kind, describe: (args: unknown[]) => unknown[]) => (native: AnyFunction): AnyFunction =>
    function connectHandle(this: object, request: ConnectRequest, ...args: unknown[]): unknown {
      const state = own(this, kind, jsonStringify(describe(args)));
      const complete = request.oncomplete;
      state.onConnected = session.inContext((_, status) => void callComplete(complete, request, [status, this, request, true, true]));
      request.oncomplete = function (status: number, ...rest: unknown[]) {
        session.arrived(state.operation, 'connected', status);
        return callComplete(complete, this, [status, ...rest]);
      };
      return readValue(session, 'handle-value', '["connect"]', connectHandle, () => apply(native, this, [request, ...args]));
    };
  patchMethod(prototypes.tcp, 'connect', connect('tcp', ([address, port]) => [address, port]));
  patchMethod(prototypes.tcp, 'connect6', connect('tcp', ([address, port]) => [address, port]));
  patchMethod(prototypes.pipe, 'connect', connect('pipe', ([path]) => [path]));
}

/** Standard streams: pipes and sockets are opened by descriptor, terminals are found by their first use. */
function patchStdio(prototypes: Prototypes, session: Session, takeUp: (terminal: object) => void, own: Own): void {
  for (const prototype of [prototypes.pipe, prototypes.tcp]) {
    patchMethod(prototype, 'open', (native) => function (this: object, fd: number): unknown {
      // What the program opens itself is recorded where it does.
      if (isOwn()) return apply(native, this, [fd]);
      if (fd < 0 || fd > 2) return session.uncaptured(`a stream on file descriptor ${fd}`, () => apply(native, this, [fd]));
      if (session.playsTerminal(fd)) ownOnFirstUse(this, prototypes.stream, fd, own);
      else own(this, 'stdio', `[${fd}]`);
      return session.effect(() => apply(native, this, [fd]), 0);
    });
  }
  for (const name of FIRST_USES) {
    Object.defineProperty(prototypes.tty, name, {
      configurable: true,
      writable: true,
      value: function (this: object, ...args: unknown[]): unknown {
        takeUp(this);
        return apply((prototypes.stream as Record<string, AnyFunction>)[name] as AnyFunction, this, args);
      },
    });
  }
}

/** A handle that stands in for a terminal is taken up when a terminal would be. */
function ownOnFirstUse(handle: object, stream: object, fd: number, own: Own): void {
  for (const name of FIRST_USES) {
    Object.defineProperty(handle, name, {
      configurable: true,
      value: function (this: object, ...args: unknown[]): unknown {
        for (const method of FIRST_USES) delete (handle as Record<string, unknown>)[method];
        own(handle, 'stdio', `[${fd}]`);
        return apply((stream as Record<string, AnyFunction>)[name] as AnyFunction, this, args);
      },
    });
  }
}

function patchLifetime(prototypes: Prototypes, session: Session, find: Find): void {
  /** @returns what the native method gets */
  const closing = (handle: object, state: HandleState, callback: AnyFunction | undefined): unknown[] => {
    state.closed = true;
    if (typeof callback !== 'function') return [];
    state.onClosed = session.inContext(() => {
      session.retire(state.operation);
      apply(callback, handle, []);
    });
    session.closing(state.operation);
    const tapped = function (this: object): unknown {
      session.arrived(state.operation, 'closed', 0);
      return apply(callback, this, []);
    };
    return [session.effect<AnyFunction | undefined>(() => tapped, undefined)];
  };
  const close = patchMethod(prototypes.handle, 'close', (native) => function (this: object, callback?: AnyFunction): unknown {
    const state = find(this);
    return apply(native, this, state && !state.closed ? closing(this, state, callback) : [callback]);
  }) as AnyFunction;
  patchMethod(prototypes.tcp, 'reset', (native) => function reset(this: object, callback?: AnyFunction): unknown {
    const state = find(this);
    if (!state || state.closed) return apply(native, this, [callback]);
    const args = closing(this, state, callback);
    const code = readValue(session, 'handle-value', '["reset"]', reset, () => apply(native, this, args) as number);
    // In replay nothing is connected that could be reset.
    if (code === 0) session.effect(() => () => {}, () => void apply(close, this, []))();
    else state.closed = false;
    return code;
  });
  for (const [name, refed] of [['ref', true], ['unref', false]] as const) {
    patchMethod(prototypes.handle, name, (native) => function (this: object): unknown {
      const state = find(this);
      if (state) {
        state.refed = refed;
        session.refs(state.operation, refed);
      }
      return state ? session.effect(() => apply(native, this, []), undefined) : apply(native, this, []);
    });
  }
  patchMethod(prototypes.handle, 'hasRef', (native) => function (this: object): unknown {
    const state = find(this);
    return state ? session.effect(() => apply(native, this, []), state.refed && !state.closed) : apply(native, this, []);
  });
}

function patchReadings(prototypes: Prototypes, session: Session, find: Find): void {
  // Servers bind before they listen, and clients that choose their port; both look what they got. No port is taken in replay.
  const bound = createStash<true>();
  for (const name of ['bind', 'bind6']) {
    patchMethod(prototypes.tcp, name, (native) => function bind(this: object, ...args: unknown[]): unknown {
      bound.set(this, true);
      return readValue(session, 'handle-value', `["${name}"]`, bind, () => apply(native, this, args) as number);
    });
  }
  for (const name of ['getsockname', 'getpeername']) {
    patchMethod(prototypes.tcp, name, (native) => function reading(this: object, out: object): unknown {
      if (!find(this) && !bound.get(this)) return apply(native, this, [out]);
      const [code, filled] = readValue(session, 'handle-value', `["${name}"]`, reading, () => [apply(native, this, [out]) as unknown, { ...out }] as const);
      Object.assign(out, filled);
      return code;
    });
  }
  // Node 22 and later look at a kept socket before they use it again: whether the server has closed it is a race.
  for (const [prototype, name] of [[prototypes.stream, 'hasPendingRead'], [prototypes.tcp, 'getTypeOfService']] as const) {
    patchMethod(prototype, name, (native) => function reading(this: object): unknown {
      return find(this) ? readValue(session, 'handle-value', `["${name}"]`, reading, () => apply(native, this, [])) : apply(native, this, []);
    });
  }
  for (const [prototype, names] of [[prototypes.tcp, ['setNoDelay', 'setKeepAlive', 'setTypeOfService', 'setSimultaneousAccepts']], [prototypes.stream, ['setBlocking']]] as const) {
    for (const name of names) {
      patchMethod(prototype, name, (native) => function (this: object, ...args: unknown[]): unknown {
        return find(this) ? session.effect(() => apply(native, this, args), 0) : apply(native, this, args);
      });
    }
  }
}
