/**
 * Streams that the program opens on file descriptors which it has not got from the runtime's standard streams: what it inherited (a pipe that
 * its parent made, a socket that was handed over) and named pipes. In replay the descriptor leads nowhere, or elsewhere.
 */
import { binding } from '../../runtime/bindings.ts';
import { apply, construct, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, patchAlias, patchMethod } from '../../runtime/patches.ts';
import { actValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles, HandleState } from './handles.ts';
import { type StreamHandle, tapReads } from './streams.ts';

type Sort = 'tcp' | 'pipe';
type Options = Readonly<Record<string, unknown>>;
type Socket = object & { readonly _handle: StreamHandle };

const CLASSES: Readonly<Record<Sort, string>> = { tcp: 'TCP', pipe: 'Pipe' };
const LAST_STANDARD = 2;

export function installDescriptors(session: Session, handles: Handles): void {
  const net = process.getBuiltinModule('node:net');
  patchMethod(net, 'Socket', (native) => constructor(native, (make, args, shim) => {
    const [options] = args;
    const fd = typeof options === 'number' ? options : (options as Options | undefined)?.['fd'];
    if (typeof fd !== 'number' || fd <= LAST_STANDARD || (options as Options)['handle']) return make(args);
    return open(session, handles, fd, { ...(typeof options === 'object' && options) }, make, shim);
  }));
  patchAlias(net, 'Stream');
  const tty = process.getBuiltinModule('node:tty');
  for (const name of ['ReadStream', 'WriteStream']) {
    patchMethod(tty, name, (native) => constructor(native, (make, args) => {
      const [fd] = args;
      return typeof fd === 'number' && fd > LAST_STANDARD ? session.uncaptured(`a terminal on file descriptor ${fd} (tty.${name})`, () => make(args)) : make(args);
    }));
  }
}

/** @param made calls `make` with the arguments that the runtime's own constructor gets, and has what it made */
function constructor(native: AnyFunction, made: (make: (args: unknown[]) => object, args: unknown[], shim: AnyFunction) => object): AnyFunction {
  const shim = function (this: object | undefined, ...args: unknown[]): unknown {
    // Classes of the old kind call it on what they have made.
    const target = new.target as unknown as AnyFunction | undefined;
    const make = (given: unknown[]): object => (target ? (construct(native, given, target === shim ? native : target) as object) : ((apply(native, this, given) ?? this) as object));
    return made(make, args, shim);
  } as AnyFunction;
  return disguise(shim, native);
}

/** What sort of thing the descriptor is shows in the class of the handle, or in the error. */
function open(session: Session, handles: Handles, fd: number, options: Options, make: (args: unknown[]) => object, below: AnyFunction): object {
  const handleOf = (socket: object): StreamHandle => (socket as Socket)._handle;
  const own = (handle: object, sort: Sort): HandleState => handles.own(handle, sort, jsonStringify([`file descriptor ${fd}`]));
  let opened: object | undefined;
  const sort = actValue(session, 'handle-value', jsonStringify(['descriptor', fd]), below, (): Sort => {
    opened = make([options]);
    return handleOf(opened).constructor.name === CLASSES.tcp ? 'tcp' : 'pipe';
  });
  if (opened) {
    // The runtime reads from it already, unless the program said otherwise.
    tapReads(handleOf(opened), own(handleOf(opened), sort), session);
    return opened;
  }
  const handle = new (handleClass(sort))(0);
  own(handle, sort);
  return make([{ ...options, fd: undefined, handle }]);
}

function handleClass(sort: Sort): new (type: number) => object {
  return binding(`${sort}_wrap`)[CLASSES[sort]] as new (type: number) => object;
}
