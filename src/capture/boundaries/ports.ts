/**
 * Message ports. A message between two ends in this thread is the program's own: only the turn in which it arrives is
 * recorded. What comes from another thread is recorded whole, and what goes there is compared. In replay no message travels
 * natively: each is cloned by a channel of ours, which also moves what is transferred and refuses what cannot be cloned.
 */
import type { Kind } from '../../model/event.ts';
import { decodeMessage, encodeMessage, encodePlain, encodePosted, strangersIn } from '../../model/message.ts';
import { apply, bufferAlloc, bufferFrom, jsonParse, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { type Channel, CLOSE_EVENT, closeCallback, DISPATCH, dispatcher, isPort, makeChannel, portPrototype, RECEIVING, takeMessage } from '../../runtime/ports.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';
import { Broadcasts } from './broadcasts.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Where a message came from, as the journal's status of it. */
export const FROM = { thread: 0, here: 1, stranger: 2, nowhere: 3, failed: -1 } as const;
const NOTHING = bufferAlloc(0);
const callDispatch = calledAs('nodejs.internal.kHybridDispatch');

interface Clone {
  readonly message: unknown;
}

/** A message that was posted in this thread and has not arrived. */
interface Waiting {
  /** Replay only, and until a fork posts it for real. */
  clone: Clone | undefined;
  /** Ports that travel with it. */
  readonly moved: readonly (PortState | undefined)[];
}

export interface PortFacts {
  readonly operation: number;
  /** As what its messages are recorded. */
  readonly messages: Kind;
  /** Whether its end shows to the program. */
  readonly endShows: boolean;
  /** Called in the turn of a message, before the program learns of it. */
  readonly before?: (() => void) | undefined;
  /** Records what is posted to it in a way of its own. */
  readonly say?: ((message: unknown) => void) | undefined;
}

export interface PortState extends PortFacts {
  readonly port: object;
  /** The other end, while it is in this thread. */
  peer: PortState | undefined;
  waiting: Waiting[];
  readonly isBroadcast: boolean;
  /** The program has been told that it is closed. */
  hasEnded: boolean;
  /** Replay only: it is closed, or will be by what the program has done, and the log has not said so yet. */
  isClosed: boolean;
}

/** A message as it is recorded. */
export interface Arrival {
  readonly status: number;
  readonly data: Buffer;
  /** Ports that came with it from another thread. */
  readonly received: readonly object[];
  /** What was posted in this thread. */
  readonly waiting: Waiting | undefined;
}

type Transfer = readonly unknown[] | { readonly transfer?: readonly unknown[] } | undefined;

export class Ports {
  /** Sees what is posted to ports that are not recorded. @returns true when it has posted it */
  onUnowned: ((port: object, args: readonly unknown[]) => boolean) | undefined;
  readonly #session: Session;
  readonly #memory: SharedMemory;
  readonly #states = createStash<PortState>();
  /** Replay only: to which something was posted in this thread that has not arrived. */
  readonly #awaiting = new Set<PortState>();
  readonly #broadcasts = new Broadcasts();
  /** Of a fork that has left its recording. */
  #forked: { readonly hasThreads: boolean } | undefined;
  readonly #closed: AnyFunction = closeCallback();
  readonly #close: AnyFunction = (portPrototype as Record<'close', AnyFunction>).close;
  #post: AnyFunction = () => undefined;
  #dispatch: AnyFunction = () => undefined;
  /** The end of this port is being told from the log. */
  #ending: object | undefined;
  #ours: Channel | undefined;

  constructor(session: Session, memory: SharedMemory) {
    this.#session = session;
    this.#memory = memory;
    const ports = this;
    session.onFork((hasThreads) => this.#goOn(hasThreads));
    patchMethod(portPrototype, 'postMessage', (native) => {
      this.#post = native;
      return function postMessage(this: object, ...args: unknown[]): unknown {
        const state = ports.#states.get(this);
        if (state) return ports.#posted(state, args);
        return ports.onUnowned?.(this, args) ? true : apply(native, this, args);
      };
    });
    patchMethod(dispatcher(), DISPATCH, (native) => {
      this.#dispatch = native;
      return function (this: object, ...args: [unknown, unknown, { constructor: { name: string } } | undefined]): unknown {
        const state = ports.#states.get(this);
        // `port.emit` has two arguments.
        return state && args.length === 3 ? ports.#arrived(state, args) : (apply(native, this, args) as unknown);
      };
    });
  }

  stateOf(port: object): PortState | undefined {
    return this.#states.get(port);
  }

  /** Records a port from now on, as a part of an operation. */
  own(port: object, facts: PortFacts, isBroadcast: boolean = false): PortState {
    const state: PortState = { ...facts, port, peer: undefined, waiting: [], isBroadcast, hasEnded: false, isClosed: false };
    this.#states.set(port, state);
    return state;
  }

  /** Records a port from now on, as an operation. @param key JSON array: where the program has it from */
  adopt(port: object, kind: 'port' | 'broadcast', key: string): PortState {
    const operation = this.#session.operation(kind, key, (what, status, data) => (what === 'port-closed' ? this.#closedByLog(state) : this.deliver(state, status, data)));
    const state = this.own(port, { operation, messages: 'messaged', endShows: true }, kind === 'broadcast');
    return state;
  }

  /** Records a broadcast channel from now on. */
  adoptBroadcast(port: object, name: string): void {
    const state = this.adopt(port, 'broadcast', jsonStringify([name]));
    this.#session.effect(() => () => {}, () => this.#broadcasts.open(state, name))();
  }

  /** Posts, and records nothing. */
  post(port: object, args: readonly unknown[]): unknown {
    return apply(this.#post, port, args as unknown[]);
  }

  /** O: what another thread is told. */
  say(state: PortState, message: unknown): void {
    const { bytes, shared } = encodePosted(message, (port) => this.#states.get(port)?.operation ?? 0);
    this.#session.send(state.operation, 'posted', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 }));
    for (const memory of shared) this.#memory.give(memory);
  }

  /** Hands a recorded message to the program. */
  deliver(state: PortState, status: number, data: Buffer): void | false {
    if (this.#comesByItself(state) && !state.isClosed) return false;
    if (status === FROM.stranger) return this.nameStrangers(data);
    this.heard(state);
    if (status === FROM.failed) state.waiting.shift();
    state.before?.();
    const clone = status === FROM.here ? this.takeClone(state) : this.decode(data);
    if (!clone) return false;
    this.hand(state, status === FROM.failed ? 'messageerror' : 'message', clone.message, clone.received);
  }

  /** As the runtime hands a message to the listeners of its port. */
  hand(state: PortState, type: string, message: unknown, received: readonly object[] = []): void {
    const holder = state.port as Record<symbol, unknown>;
    holder[RECEIVING] = received;
    try {
      callDispatch(this.#dispatch, state.port, [message, type, undefined]);
    } finally {
      holder[RECEIVING] = undefined;
    }
  }

  /** A recorded message is taken. */
  heard(state: PortState): void {
    if (state.isBroadcast) this.#broadcasts.heard(state);
  }

  /** What native code took off the queue of a port. */
  describe(state: PortState, message: unknown): Arrival {
    const waiting = state.waiting.shift();
    if (waiting) return { status: FROM.here, data: NOTHING, received: [], waiting };
    const plain = encodePlain(message);
    if (plain) return { status: FROM.thread, data: plain, received: [], waiting };
    const strangers = strangersIn(message, isPort);
    if (strangers.length > 0) return { status: FROM.stranger, data: bufferFrom(jsonStringify(strangers)), received: [], waiting };
    const { bytes, ports } = encodeMessage(message);
    return { status: FROM.thread, data: bytes, received: ports, waiting };
  }

  /** Once the message is recorded: the ports that came with it are recorded from now on, and what is no message is named. */
  accept({ status, data, received, waiting }: Arrival, message: unknown): void {
    for (const port of received) this.adopt(port, 'port', '["received"]');
    if (waiting) this.#settle(waiting, message);
    if (status === FROM.stranger) this.nameStrangers(data);
  }

  /** A recorded message, and the ports in it. */
  decode(data: Buffer): Clone & { readonly received: readonly object[] } {
    const { value, ports } = decodeMessage(data, () => makeChannel().port1);
    for (const port of ports) this.adopt(port, 'port', '["received"]');
    return { message: value, received: ports };
  }

  /** The first message that was posted here, taken off the queue. */
  takeClone(state: PortState): (Clone & { readonly received: readonly object[] }) | undefined {
    const waiting = state.waiting.shift();
    if (state.waiting.length === 0) this.#awaiting.delete(state);
    if (!waiting?.clone) return undefined;
    return { message: waiting.clone.message, received: this.#settle(waiting, waiting.clone.message) };
  }

  nameStrangers(data: Buffer): void {
    for (const name of jsonParse(data.toString()) as string[]) this.#session.uncaptured(`a ${name} from another thread`, () => {});
  }

  #posted(state: PortState, args: readonly unknown[]): unknown {
    const sent = transferred(args[1] as Transfer);
    if (state.peer) return this.#postedHere(state.peer, sent, args);
    if (state.say) state.say(args[0]);
    else this.say(state, args[0]);
    const live = (): unknown => this.post(state.port, args);
    const posted = state.isBroadcast ? this.#session.withinThread(live, () => this.#broadcast(state, args)) : this.#session.effect<() => unknown>(() => live, () => this.#clone(args) && true)();
    for (const item of sent) this.#leaves(item);
    return posted;
  }

  /** What belongs to another thread from now on. */
  leave(transfer: readonly unknown[]): void {
    for (const item of transferred(transfer)) this.#leaves(item);
  }

  #postedHere(peer: PortState, sent: readonly object[], args: readonly unknown[]): unknown {
    const stream = sent.find(isStream);
    if (stream) return this.#session.uncaptured(`a ${stream.constructor.name} that is transferred (postMessage)`, () => this.post((peer.peer as PortState).port, args));
    const moved = sent.some((item) => this.#states.get(item)) ? encodePosted(args[0], () => 0).ports.map((port) => this.#states.get(port)) : [];
    const live = (): unknown => {
      const posted = this.post((peer.peer as PortState).port, args);
      peer.waiting.push({ clone: undefined, moved });
      return posted;
    };
    const replayed = (): unknown => {
      peer.waiting.push({ clone: this.#clone(args), moved });
      this.#awaiting.add(peer);
      return true;
    };
    return this.#session.withinThread(live, replayed);
  }

  #broadcast(state: PortState, args: readonly unknown[]): unknown {
    this.#broadcasts.said(state, this.#clone(args)?.message);
    return true;
  }

  /** A fork leaves its recording: what is on its way in this thread is posted for real. */
  #goOn(hasThreads: boolean): void {
    this.#forked = { hasThreads };
    const awaiting = [...this.#awaiting];
    this.#awaiting.clear();
    const travelling = new Map(awaiting.flatMap(({ waiting }) => waiting.flatMap(({ clone, moved }) => portsIn(clone?.message, moved))));
    const open = awaiting.filter((state) => state.peer && !travelling.has(state.peer) && this.#reaches(state, travelling));
    const isLost = awaiting.some((state) => !open.includes(state) && (!state.peer || travelling.has(state.peer) || travelling.has(state)));
    if (isLost) return this.#session.uncaptured('a message that is on its way where the fork begins, by a port that is itself on its way', () => {});
    // Nothing more can be posted to the others: the log brings what has been.
    for (const state of awaiting) if (!open.includes(state)) state.isClosed = true;
    for (const state of open) this.#postAgain(state);
    const isSaid = hasThreads || this.#broadcasts.sayAgain(({ port }, message) => this.post(port, [message]));
    if (!isSaid) this.#session.uncaptured('a message of a BroadcastChannel that is on its way where the fork begins, and that some have heard by then, or whose channel is closed', () => {});
  }

  /** Whether a port of a waiting message gets what the other end posts. Its own object is none any more while it travels with a message itself. */
  #reaches(state: PortState, travelling: ReadonlyMap<PortState, object>): boolean {
    this.post((state.peer as PortState).port, [undefined]);
    return takeMessage(travelling.get(state) ?? state.port) !== undefined;
  }

  #postAgain({ peer, waiting }: PortState): void {
    for (const sent of waiting) {
      if (!sent.clone || !peer) continue;
      const { message } = sent.clone;
      sent.clone = undefined;
      this.post(peer.port, [message, encodePosted(message, () => 0).ports]);
    }
  }

  /** As the runtime would clone it, with nobody at the other end. */
  #clone(args: readonly unknown[]): Clone | undefined {
    this.#ours ??= makeChannel();
    this.post(this.#ours.port1, args);
    return takeMessage(this.#ours.port2);
  }

  #leaves(item: object): void {
    const state = this.#states.get(item);
    if (state?.peer) state.peer.peer = undefined;
    if (isStream(item)) this.#session.uncaptured(`a ${item.constructor.name} that another thread is given`, () => {});
  }

  /** Ports arrive as other objects than those that were sent, which end. @returns the new ones */
  #settle({ moved }: Waiting, message: unknown): readonly object[] {
    if (moved.length === 0) return [];
    const { ports } = encodePosted(message, () => 0);
    for (const [index, port] of ports.entries()) {
      const left = moved[index];
      const state = this.adopt(port, 'port', '["moved"]');
      if (!left) continue;
      state.peer = left.peer;
      state.waiting = left.waiting;
      if (this.#awaiting.delete(left)) this.#awaiting.add(state);
      if (left.peer) left.peer.peer = state;
      left.peer = undefined;
      left.waiting = [];
    }
    return ports;
  }

  #arrived(state: PortState, args: [unknown, unknown, { constructor: { name: string } } | undefined]): unknown {
    const [value, type, event] = args;
    const pass = (): unknown => apply(this.#dispatch, state.port, args);
    if (event === undefined && type === 'message') {
      const arrival = this.describe(state, value);
      this.#session.arrived(state.operation, state.messages, arrival.status, arrival.data);
      state.before?.();
      this.accept(arrival, value);
    } else if (event === undefined && type === 'messageerror') {
      state.waiting.shift();
      this.#session.arrived(state.operation, state.messages, FROM.failed, encodePosted(value, () => 0).bytes);
    } else if (type === 'close' && state.endShows && state.port !== this.#ending && event?.constructor.name === CLOSE_EVENT) {
      return this.#closedHere(state, pass);
    }
    return pass();
  }

  /** In replay the log says when a port has ended. */
  #closedHere(state: PortState, pass: () => unknown): unknown {
    const live = (): unknown => {
      if (state.hasEnded || state.isClosed) return undefined;
      state.hasEnded = true;
      this.#session.arrived(state.operation, 'port-closed', 0);
      return pass();
    };
    if (this.#comesByItself(state)) return live();
    return this.#session.effect<() => unknown>(() => live, () => void (state.isClosed = true))();
  }

  /** In a fork that has left its recording, the program posts again what it posts to itself, or does not. */
  #comesByItself({ peer, isBroadcast }: PortState): boolean {
    return this.#forked !== undefined && (peer !== undefined || (isBroadcast && !this.#forked.hasThreads));
  }

  #closedByLog(state: PortState): void | false {
    if (state.hasEnded || (this.#comesByItself(state) && !state.isClosed)) return false;
    this.#end(state);
  }

  #end(state: PortState): void {
    state.hasEnded = true;
    this.#broadcasts.ended(state);
    this.#session.retire(state.operation);
    apply(this.#close, state.port, []);
    this.#ending = state.port;
    try {
      apply(this.#closed, state.port, []);
    } finally {
      this.#ending = undefined;
    }
  }
}

/** Each port that was sent, and what stands for it in the clone. */
function portsIn(message: unknown, moved: readonly (PortState | undefined)[]): [PortState, object][] {
  if (moved.length === 0) return [];
  return encodePosted(message, () => 0).ports.flatMap((port, index) => (moved[index] ? [[moved[index], port]] : []));
}

const STREAMS: ReadonlySet<string> = new Set(['ReadableStream', 'WritableStream', 'TransformStream']);

/** Pieces of it travel by ports of its own, which nobody sees. */
export function isStream(item: object): boolean {
  return STREAMS.has(item.constructor.name);
}

/** Objects that a message takes with it. */
export function transferred(transfer: Transfer): object[] {
  const list = Array.isArray(transfer) ? (transfer as readonly unknown[]) : (transfer as { readonly transfer?: readonly unknown[] } | undefined)?.transfer;
  return Array.isArray(list) ? list.filter((item): item is object => typeof item === 'object' && item !== null) : [];
}
