/**
 * Messages between threads as the journal keeps them: structured clones, read and written by V8 itself, so that views keep
 * sharing their memory. What lives in a thread only (a port, shared memory) is written as a number.
 */
import { Deserializer, getPrototypeOf, NativeDate, ownKeys, Serializer } from '../runtime/natives.ts';

export interface EncodedMessage {
  readonly bytes: Buffer;
  /** Ports in the message, in the order in which they are read back. */
  readonly ports: readonly object[];
  readonly shared: readonly SharedArrayBuffer[];
}

class MessageSerializer extends Serializer {
  readonly ports: object[] = [];
  readonly shared: SharedArrayBuffer[] = [];
  readonly #nameOf: (port: object) => number;

  constructor(nameOf: (port: object) => number) {
    super();
    this.#nameOf = nameOf;
  }

  /** Native code looks it up by this name. */
  _writeHostObject(object: object): void {
    this.ports.push(object);
    this.writeUint32(this.#nameOf(object));
  }

  _getSharedArrayBufferId(memory: SharedArrayBuffer): number {
    return this.shared.push(memory) - 1;
  }

  _getDataCloneError(message: string): Error {
    return new Error(message);
  }
}

/** @param nameOf what stands for a port. @throws Error for what cannot be cloned */
export function encodeMessage(value: unknown, nameOf: (port: object) => number = () => 0): EncodedMessage {
  const serializer = new MessageSerializer(nameOf);
  serializer.writeHeader();
  serializer.writeValue(value);
  return { bytes: serializer.releaseBuffer(), ports: serializer.ports, shared: serializer.shared };
}

/** What a program posts, for comparison: what cannot be cloned is refused by the runtime itself. */
export function encodePosted(value: unknown, nameOf: (port: object) => number): EncodedMessage {
  try {
    return encodeMessage(value, nameOf);
  } catch (error) {
    return encodeMessage(String((error as Error).message));
  }
}

class MessageDeserializer extends Deserializer {
  readonly ports: object[] = [];
  readonly #makePort: () => object;

  constructor(bytes: Buffer, makePort: () => object) {
    super(bytes);
    this.#makePort = makePort;
  }

  _readHostObject(): object {
    this.readUint32();
    const port = this.#makePort();
    this.ports.push(port);
    return port;
  }
}

/** @param makePort stands in for a port that came with the message */
export function decodeMessage(bytes: Buffer, makePort: () => object): { readonly value: unknown; readonly ports: readonly object[] } {
  const deserializer = new MessageDeserializer(bytes, makePort);
  deserializer.readHeader();
  return { value: deserializer.readValue(), ports: deserializer.ports };
}

const ErrorPrototype: object = Error.prototype;
const ViewPrototype: object = getPrototypeOf(Uint8Array.prototype) as object;
/** Of values that a structured clone is made of, and whose insides need no look. */
const LEAVES: ReadonlySet<unknown> = new Set([ArrayBuffer, DataView, NativeDate, RegExp, Boolean, Number, String, BigInt, Symbol].map(({ prototype }) => prototype));
const { prototype: ObjectPrototype } = Object;
const { prototype: ArrayPrototype } = Array;
const { prototype: MapPrototype } = Map;
const { prototype: SetPrototype } = Set;

/**
 * Objects in a received message that are more than their properties (keys, blobs, signals, streams, shared memory): a
 * recording cannot hold them. @returns names of their classes
 */
export function strangersIn(message: unknown, isPort: (object: object) => boolean): string[] {
  const names: string[] = [];
  const seen = new Set<object>();
  const pending: unknown[] = [message];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    const prototype = getPrototypeOf(value) as object | null;
    if (prototype === ObjectPrototype) {
      for (const key of ownKeys(value)) pending.push((value as Record<PropertyKey, unknown>)[key]);
    } else if (prototype === ArrayPrototype) {
      for (const held of value as unknown[]) if (typeof held === 'object') pending.push(held);
    } else if (prototype === MapPrototype) {
      for (const [key, held] of value as Map<unknown, unknown>) pending.push(key, held);
    } else if (prototype === SetPrototype) {
      for (const held of value as Set<unknown>) pending.push(held);
    } else if (isError(prototype)) {
      pending.push((value as Error).cause);
    } else if (isView(prototype)) {
      pending.push((value as Uint8Array).buffer);
    } else if (!LEAVES.has(prototype) && !isPort(value)) {
      names.push(nameOf(prototype));
    }
  }
  return names;
}

function isError(prototype: object | null): boolean {
  return prototype === ErrorPrototype || (prototype !== null && getPrototypeOf(prototype) === ErrorPrototype && (prototype as Error).constructor.name.endsWith('Error') && (prototype as Error).constructor.name in globalThis);
}

function isView(prototype: object | null): boolean {
  return prototype !== null && getPrototypeOf(prototype) === ViewPrototype;
}

function nameOf(prototype: object | null): string {
  const name = (prototype as { constructor?: { name?: unknown } } | null)?.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object';
}
