/** Where a program has its message ports from: channels, broadcast channels; and the synchronous read of a port. */
import { apply, bufferAlloc, construct } from '../../runtime/natives.ts';
import { type AnyFunction, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { type Channel, hidden, isPort } from '../../runtime/ports.ts';
import { calledByPackage } from '../../runtime/stack.ts';
import type { Session } from '../session.ts';
import { LOADERS } from './module-hooks.ts';
import { type Arrival, FROM, isStream, type Ports, type PortState, transferred } from './ports.ts';

const NOTHING: Arrival = { status: FROM.nowhere, data: bufferAlloc(0), received: [], waiting: undefined };

interface Taken {
  readonly message: unknown;
}

export function installChannels(session: Session, ports: Ports): void {
  session.owns('MESSAGEPORT');
  const threads = process.getBuiltinModule('node:worker_threads');
  replaceConstructor('MessageChannel', (make) => {
    const channel = make() as Channel;
    if (calledByPackage(LOADERS)) return channel;
    const [one, two] = [channel.port1, channel.port2].map((port) => ports.adopt(port, 'port', '["channel"]')) as [PortState, PortState];
    one.peer = two;
    two.peer = one;
    return channel;
  });
  // What one of them says reaches the others of this thread too: as it reaches another thread, whole.
  replaceConstructor('BroadcastChannel', (make) => {
    const channel = make() as object & { readonly name: string };
    ports.adoptBroadcast(hidden(channel, 'kHandle') as object, channel.name);
    return channel;
  });
  // What it makes of them is at no end that is known.
  patchMethod(globalThis, 'structuredClone', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args);
    const moved = transferred(args[1] as Parameters<typeof transferred>[0]).find((item) => isStream(item) || isPort(item));
    return moved ? session.uncaptured(`a ${moved.constructor.name} that is transferred (structuredClone)`, live) : live();
  });
  patchMethod(threads, 'receiveMessageOnPort', (native) => function receiveMessageOnPort(this: unknown, ...args: unknown[]): Taken | undefined {
    const live = (): Taken | undefined => apply(native, this, args) as Taken | undefined;
    const state = recordedPort(args[0], ports);
    return state ? receive(session, ports, state, live) : live();
  });
}

function replaceConstructor(name: 'MessageChannel' | 'BroadcastChannel', made: (make: () => object) => object): void {
  const threads = process.getBuiltinModule('node:worker_threads');
  const native = threads[name] as unknown as AnyFunction;
  const replacement = disguiseConstructor(native, (target, args) => made(() => construct(native, args, target) as object));
  patchValue(threads, name, replacement);
  patchValue(globalThis, name, replacement);
}

function recordedPort(port: unknown, ports: Ports): PortState | undefined {
  if (typeof port !== 'object' || port === null) return undefined;
  const handle = ports.stateOf(port) ? undefined : hidden(port, 'kHandle');
  return ports.stateOf(typeof handle === 'object' && handle !== null ? handle : port);
}

function receive(session: Session, ports: Ports, state: PortState, live: () => Taken | undefined): Taken | undefined {
  let taken: Taken | undefined;
  let arrival: Arrival | undefined;
  const { status, data } = session.value('port-value', `["receiveMessageOnPort",${state.operation}]`, () => {
    taken = live();
    arrival = taken ? ports.describe(state, taken.message) : NOTHING;
    return arrival;
  }, state.peer !== undefined);
  if (arrival) {
    if (taken) ports.accept(arrival, taken.message);
    return taken;
  }
  if (status === FROM.stranger) ports.nameStrangers(data as Buffer);
  if (status === FROM.nowhere || status === FROM.stranger) return undefined;
  ports.heard(state);
  const clone = status === FROM.here ? ports.takeClone(state) : ports.decode(data as Buffer);
  return clone && { message: clone.message };
}
