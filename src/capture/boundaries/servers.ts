/**
 * Inbound servers: who connects is a delivery of the listening handle, what they send are deliveries of the accepted one.
 * In replay nothing listens: accepted handles are real and connected to nobody.
 */
import type { Kind } from '../../model/event.ts';
import { binding, handlePrototypes } from '../../runtime/bindings.ts';
import { apply, AsyncResource, bufferAlloc, bufferFrom, construct, defineProperty, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles, HandleState } from './handles.ts';

interface ServerHandle {
  onconnection: AnyFunction;
}

interface Address {
  address?: string;
  port?: number;
}

type Scope = InstanceType<typeof AsyncResource>;

const NOTHING = bufferAlloc(0);

export function installServers(session: Session, handles: Handles): void {
  session.owns('TCPSERVERWRAP', 'PIPESERVERWRAP');
  // Natively an accepted handle is made outside of any asynchronous context. Only a replay makes one itself.
  const outside = session.effect<() => Scope | undefined>(() => () => undefined, () => new AsyncResource('RECORDED'))();
  const { tcp, pipe } = handlePrototypes();
  /** What the program asked a handle to be bound to. */
  const asked = createStash<readonly unknown[]>();
  for (const name of ['bind', 'bind6']) {
    patchMethod(tcp, name, (native) => function (this: object, ...args: unknown[]): unknown {
      asked.set(this, args.slice(0, 2));
      return apply(native, this, args);
    });
  }
  // Binding makes the socket's file.
  for (const name of ['bind', 'fchmod']) {
    patchMethod(pipe, name, (native) => function shim(this: object, ...args: unknown[]): unknown {
      if (name === 'bind') asked.set(this, args);
      return readValue(session, 'handle-value', jsonStringify([`pipe.${name}`, ...args]), shim, () => apply(native, this, args) as number);
    });
  }
  listens(tcp, 'tcp', (client) => peerOf(client, tcp));
  listens(pipe, 'pipe', () => NOTHING);

  function listens(prototype: object, sort: 'tcp' | 'pipe', peer: (client: object) => Buffer): void {
    const { constructor } = prototype as { constructor: AnyFunction };
    const { SOCKET } = (binding(`${sort}_wrap`) as { constants: { SOCKET: number } }).constants;
    patchMethod(prototype, 'listen', (native) => function listen(this: ServerHandle, backlog: number): unknown {
      if (!handles.find(this)) {
        const state = handles.own(this, 'server', jsonStringify([sort, ...(asked.get(this) ?? []), backlog]));
        tapConnections(this, state, { session, handles, peer, outside, accept: () => construct(constructor, [SOCKET]) as object });
      }
      return readValue(session, 'handle-value', '["listen"]', listen, () => apply(native, this, [backlog]) as number);
    });
  }
}

interface Acceptance {
  readonly session: Session;
  readonly handles: Handles;
  /** Who connected, for people. */
  peer(client: object): Buffer;
  /** Makes what stands for an accepted connection in replay. */
  accept(): object;
  readonly outside: Scope | undefined;
}

/** The runtime looks the callback up by name: an own accessor keeps the program's and hands out the tap. */
function tapConnections(handle: ServerHandle, state: HandleState, { session, handles, peer, accept, outside }: Acceptance): void {
  let { onconnection } = handle;
  const own = (client: object): void => void handles.own(client, 'accepted', `[${state.operation}]`);
  const tap = function (this: object, status: number, client: object | undefined): unknown {
    session.arrived(state.operation, 'connection', status, client ? peer(client) : NOTHING);
    if (client) own(client);
    return apply(onconnection, this, [status, client]);
  };
  const acceptOne = (): object => {
    const client = accept();
    own(client);
    return client;
  };
  state.onConnection = (_: Kind, status: number): void => {
    const client = status === 0 ? outside?.runInAsyncScope(acceptOne) : undefined;
    apply(onconnection, handle, [status, client]);
  };
  defineProperty(handle, 'onconnection', {
    configurable: true,
    enumerable: true,
    get: () => tap,
    set: (callback: AnyFunction) => {
      onconnection = callback;
    },
  });
}

function peerOf(client: object, prototype: object): Buffer {
  const found: Address = {};
  const code = apply((prototype as Record<'getpeername', AnyFunction>).getpeername, client, [found]) as number;
  return code === 0 ? bufferFrom(`${found.address?.includes(':') ? `[${found.address}]` : (found.address ?? '')}:${found.port ?? ''}`) : NOTHING;
}
