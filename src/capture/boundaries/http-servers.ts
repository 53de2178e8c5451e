/**
 * What Node's HTTP servers do past JavaScript: their parser reads the connection natively, its lists of connections are in
 * the order of addresses in memory and of clock reads, and the `Date` of answers is a clock of its own.
 */
import { binding, type HttpParser, httpParser } from '../../runtime/bindings.ts';
import { apply, construct, defineProperty, getPrototypeOf, runTicks } from '../../runtime/natives.ts';
import { currentDate, type Message } from '../../runtime/http-date.ts';
import { type AnyFunction, disguise, patchMethod } from '../../runtime/patches.ts';
import { OUTERMOST } from '../../runtime/stack.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { StreamState } from './streams.ts';

/** Callbacks by number, such as `[kOnBody]`. */
type Parser = Record<number, AnyFunction>;

const { JSStream } = binding('js_stream') as { JSStream: AnyFunction };
const { readBuffer } = JSStream.prototype as Record<'readBuffer', AnyFunction>;

/** @param streamOf state of a connection that the harness records */
export function installHttpServers(session: Session, streamOf: (handle: object) => StreamState | undefined): void {
  const parser = httpParser();
  installConsuming(parser, streamOf);
  installConnectionLists(parser, session);
  installDates(session);
}

/**
 * A parser that consumes a connection is given a stream of ours in its place, into which go the bytes that JavaScript has
 * read (or that were recorded): it works as natively, on the same stack.
 */
function installConsuming(HTTPParser: HttpParser, streamOf: (handle: object) => StreamState | undefined): void {
  const consumed = createStash<StreamState | undefined>();
  const streams = createStash<object>();
  /** The parser that is given bytes right now. */
  let fed: object | undefined;

  const feed = (parser: object, stream: object): ((bytes: Uint8Array) => void) => {
    const feedParser = (bytes: Uint8Array): void => {
      const before = fed;
      fed = parser;
      try {
        apply(readBuffer, stream, [bytes]);
      } finally {
        fed = before;
      }
    };
    // Stacks end there.
    defineProperty(feedParser, 'name', { value: OUTERMOST });
    return feedParser;
  };
  const wrappers = createStash<AnyFunction>();
  /** Natively each of these callbacks is the outermost call into JavaScript, so that its ticks and promise jobs run at its end. */
  const withTicks = (callback: AnyFunction): AnyFunction => {
    const known = wrappers.get(callback);
    if (known) return known;
    const wrapper = disguise(function (this: object, ...args: unknown[]): unknown {
      const result = apply(callback, this, args) as unknown;
      if (fed === this) runTicks();
      return result;
    }, callback);
    wrappers.set(callback, wrapper);
    wrappers.set(wrapper, wrapper);
    return wrapper;
  };
  patchMethod(HTTPParser.prototype, 'consume', (native) => function (this: Parser, handle: object): unknown {
    const state = streamOf(handle);
    if (!state) return apply(native, this, [handle]);
    let stream = streams.get(this);
    if (!stream) streams.set(this, (stream = construct(JSStream, []) as object));
    state.consumer = feed(this, stream);
    consumed.set(this, state);
    for (const callback of [HTTPParser.kOnHeaders, HTTPParser.kOnBody]) this[callback] = withTicks(this[callback] as AnyFunction);
    return apply(native, this, [stream]);
  });
  patchMethod(HTTPParser.prototype, 'unconsume', (native) => function (this: object): unknown {
    const state = consumed.get(this);
    if (state) state.consumer = undefined;
    consumed.set(this, undefined);
    return apply(native, this, []);
  });
}

function installConnectionLists(HTTPParser: HttpParser, session: Session): void {
  const numbers = createStash<number>();
  const parsers = new Map<number, object>();
  let last = 0;
  const forget = (parser: object): void => void parsers.delete(numbers.get(parser) ?? 0);
  patchMethod(HTTPParser.prototype, 'initialize', (native) => function (this: object, ...args: unknown[]): unknown {
    if (args[4]) {
      patchList(getPrototypeOf(args[4]) as object);
      forget(this);
      numbers.set(this, ++last);
      parsers.set(last, this);
    }
    return apply(native, this, args);
  });
  patchMethod(HTTPParser.prototype, 'remove', (native) => function (this: object): unknown {
    forget(this);
    return apply(native, this, []);
  });
  // A list that no connection was ever in is empty, whoever asks.
  let patched = false;
  function patchList(prototype: object): void {
    if (patched) return;
    patched = true;
    for (const name of ['all', 'idle', 'active', 'expired']) {
      patchMethod(prototype, name, (native) => function list(this: object, ...args: unknown[]): unknown {
        const listed = readValue(session, 'handle-value', `["connections.${name}"]`, list, () => (apply(native, this, args) as object[]).map((parser) => numbers.get(parser) ?? 0));
        return listed.map((number) => parsers.get(number));
      });
    }
  }
}

/** The date that Node puts into answers is a text that it keeps for a second. */
function installDates(session: Session): void {
  const { OutgoingMessage } = process.getBuiltinModule('node:http') as unknown as { OutgoingMessage: { prototype: object } };
  patchMethod(OutgoingMessage.prototype, '_storeHeader', (native) => function shim(this: Message, ...args: unknown[]): unknown {
    if (!this.sendDate) return apply(native, this, args);
    const now = currentDate();
    const date = readValue(session, 'handle-value', '["http.date"]', shim, () => now);
    const result = apply(native, this, args) as unknown;
    if (date !== now) this._header = (this._header ?? '').replace(`\r\nDate: ${now}\r\n`, () => `\r\nDate: ${date}\r\n`);
    return result;
  });
}
