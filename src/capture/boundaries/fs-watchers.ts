/** Watchers of files: each change is a delivery of a libuv handle. */
import { decodeArguments, encodeArguments } from '../../model/value.ts';
import { binding, handlePrototypes } from '../../runtime/bindings.ts';
import { apply, defineProperty, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

interface Watcher {
  onchange: AnyFunction;
}

interface State {
  readonly operation: number;
  isClosed: boolean;
}

const callChange = calledAs('onchange');

export function installWatchers(session: Session): void {
  session.owns('FSEVENTWRAP', 'STATWATCHER');
  const { close } = handlePrototypes().handle as Record<'close', AnyFunction>;
  patchWatcher(session, (binding('fs_event_wrap')['FSEvent'] as { prototype: object }).prototype, 'watch', close);
  patchWatcher(session, (binding('fs')['StatWatcher'] as { prototype: object }).prototype, 'watchFile', close);
}

function patchWatcher(session: Session, prototype: object, name: string, close: AnyFunction): void {
  const states = createStash<State>();
  patchMethod(prototype, 'start', (native) => function start(this: Watcher, path: unknown, ...options: unknown[]): unknown {
    const { onchange } = this;
    const operation = session.operation('watch', jsonStringify([name, path, ...options]), (_kind, _status, data) => {
      if (state.isClosed) return false;
      return void callChange(onchange, this, decodeArguments(data));
    });
    const state: State = { operation, isClosed: false };
    states.set(this, state);
    this.onchange = function (this: Watcher, ...args: unknown[]): unknown {
      session.arrived(operation, 'changed', Number(args[0]), encodeArguments(args));
      return callChange(onchange, this, args);
    };
    const code = readValue(session, 'handle-value', `["${name}"]`, start, () => apply(native, this, [path, ...options]) as number | undefined);
    // FSWatcher closes only what has begun; the runtime's own accessor tells what the native handle does.
    if (!code && 'initialized' in this) defineProperty(this, 'initialized', { get: () => !state.isClosed, configurable: true });
    return code;
  });
  defineProperty(prototype, 'close', {
    configurable: true,
    writable: true,
    value: function (this: object, ...args: unknown[]): unknown {
      const state = states.get(this);
      if (state && !state.isClosed) {
        state.isClosed = true;
        session.retire(state.operation);
      }
      return apply(close, this, args);
    },
  });
}
