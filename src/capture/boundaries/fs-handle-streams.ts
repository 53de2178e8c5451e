/** Node 20's `filehandle.readableWebStream()` reads by the native handle's own stream methods, as sockets do. */
import { jsonStringify } from '../../runtime/natives.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';
import type { NativeFileHandle } from './module-reads.ts';
import { createStreamState, deliverRead, installStreamMethods, type StreamState } from './streams.ts';

export function installHandleStreams(session: Session, prototype: object): void {
  const states = createStash<StreamState>();
  const begin = (handle: NativeFileHandle): StreamState => {
    const state = createStreamState(handle);
    states.set(handle, state);
    state.operation = session.operation('fs', jsonStringify(['stream', handle.fd]), (_, status, data) => deliverRead(handle, state, status, data));
    return state;
  };
  installStreamMethods(prototype, session, (handle) => states.get(handle) ?? begin(handle as NativeFileHandle));
}
