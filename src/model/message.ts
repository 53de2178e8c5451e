/**
 * Messages between threads as the journal keeps them: structured clones, read and written by V8 itself, so that views keep
 * sharing their memory. What lives in a thread only (a port, shared memory) is written as a number.
 */
import { Deserializer, getPrototypeOf, jsonParse, jsonStringify, NativeDate, ownKeys, Serializer } from '../runtime/natives.ts';
import { decodeCompact, encodeCompact, isClone } from './compact.ts';

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

/** @param bytes of {@link encodeMessage} or {@link encodePlain} @param makePort stands in for a port that came with the message */
export function decodeMessage(bytes: Buffer, makePort: () => object): { readonly value: unknown; readonly ports: readonly object[] } {
  if (!isClone(bytes)) return { value: jsonParse(decodeCompact(bytes).result as string), ports: [] };
  const deserializer = new MessageDeserializer(bytes, makePort);
  deserializer.readHeader();
  return { value: deserializer.readValue(), ports: deserializer.ports };
}

/** More than this V8 writes faster. */
const PLAIN = { values: 300, objects: 50, characters: 16 * 1024 } as const;

/**
 * A message that has arrived, where JSON says all of it. The clone of a small one costs several times as much as its text: it
 * takes a native object, which is collected one by one.
 * @returns undefined for what only a structured clone holds, or holds better
 */
export function encodePlain(message: unknown): Buffer | undefined {
  return isPlain(message) ? encodeCompact(jsonStringify(message)) : undefined;
}

/** Whether it comes back from JSON as it is: a tree of objects and lists, text and numbers, with nothing left out. */
function isPlain(message: unknown): boolean {
  const pending: unknown[] = [message];
  const seen: object[] = [];
  let characters = 0;
  for (let at = 0; at < pending.length; at++) {
    const value = pending[at];
    switch (typeof value) {
      case 'string':
        characters += value.length;
        break;
      case 'number':
        if (!Number.isFinite(value) || Object.is(value, -0)) return false;
        break;
      case 'boolean':
        break;
      case 'object':
        if (value === null) break;
        // Which a program may have given to all of its objects.
        if ('toJSON' in value || seen.includes(value)) return false;
        seen.push(value);
        if (!putMembers(value, pending)) return false;
        break;
      default:
        return false;
    }
    if (pending.length > PLAIN.values || seen.length > PLAIN.objects || characters > PLAIN.characters) return false;
  }
  return true;
}

/** @returns whether there are no others than these */
function putMembers(holder: object, members: unknown[]): boolean {
  const prototype = getPrototypeOf(holder) as object | null;
  const keys = ownKeys(holder);
  if (prototype === ObjectPrototype) {
    for (const key of keys) members.push((holder as Record<PropertyKey, unknown>)[key]);
    return true;
  }
  // One key is the length.
  if (prototype !== ArrayPrototype || keys.length !== (holder as unknown[]).length + 1) return false;
  for (const item of holder as unknown[]) members.push(item);
  return true;
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
