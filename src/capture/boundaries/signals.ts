/**
 * Signals that have a handler are deliveries of a libuv handle. Without a handler nothing is installed: the program dies
 * of the signal at once, as it does bare, even in a busy loop.
 */
import { handlePrototypes } from '../../runtime/bindings.ts';
import { apply, defineProperty, getPrototypeOf } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { actValue, readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

interface SignalHandle {
  onsignal: AnyFunction;
}

const callSignal = calledAs('onsignal');

export function installSignals(session: Session): void {
  session.owns('SIGNALWRAP');
  const { handle } = handlePrototypes();
  let known = false;
  // Node 22 and later do not give the binding away; a signal's handle is unreferenced before it is started.
  patchMethod(handle, 'unref', (native) => function (this: object): unknown {
    const prototype = getPrototypeOf(this) as { constructor: AnyFunction };
    if (!known && prototype.constructor.name === 'Signal') {
      known = true;
      patchSignals(prototype, handle, session);
    }
    return apply(native, this, []);
  });
  patchKills(session);
}

function patchSignals(prototype: object, handle: object, session: Session): void {
  const operations = createStash<number>();
  patchMethod(prototype, 'start', (native) => function (this: SignalHandle, signal: number): unknown {
    const { onsignal } = this;
    const operation = session.operation('signal', `[${signal}]`, (_, status) => void callSignal(onsignal, this, [status]));
    operations.set(this, operation);
    this.onsignal = function (number: number) {
      session.arrived(operation, 'signalled', number);
      return callSignal(onsignal, this, [number]);
    };
    return session.effect(() => apply(native, this, [signal]), 0);
  });
  const { close } = handle as Record<'close', AnyFunction>;
  defineProperty(prototype, 'close', {
    configurable: true,
    writable: true,
    value: function (this: object, ...args: unknown[]): unknown {
      const operation = operations.get(this);
      if (operation !== undefined) session.retire(operation);
      return apply(close, this, args);
    },
  });
}

function patchKills(session: Session): void {
  // In replay the ids of processes are the recorded run's: a signal would hit a stranger.
  patchMethod(process, 'kill', (native) => function kill(this: unknown, ...args: unknown[]): unknown {
    const [pid, signal] = args;
    if (Number(pid) !== process.pid) return apply(native, this, args);
    return readValue(session, 'process-value', `["kill",${JSON.stringify(String(signal))}]`, kill, () => apply(native, this, args) as unknown);
  });
  // What `kill` does when its arguments are in order.
  patchMethod(process, '_kill', (native) => function kill(this: unknown, pid: number, signal: number): unknown {
    return actValue(session, 'process-value', `["kill",${pid},${signal}]`, kill, () => apply(native, this, [pid, signal]) as number);
  });
}
