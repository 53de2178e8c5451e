/**
 * Randomness of node:crypto and WebCrypto: always the real CSPRNG when recording, its output in the log. Asynchronous
 * jobs whose result is determined by their input are done again; only their order is recorded.
 */
import type { webcrypto } from 'node:crypto';
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { apply, bufferFrom, isAnyArrayBuffer, jsonStringify } from '../../runtime/natives.ts';
import { asOwn } from '../../runtime/own.ts';
import { type AnyFunction, disguise, patchAlias, patchGetter, patchMethod, patchValue, replacementOf } from '../../runtime/patches.ts';
import { quietly } from '../../runtime/warnings.ts';
import { attempt, readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import { type Crypto, KeyCodec, revive } from './key-codec.ts';

export function installCrypto(session: Session): void {
  session.owns(
    'RANDOMBYTESREQUEST', 'RANDOMPRIMEREQUEST', 'CHECKPRIMEREQUEST', 'PBKDF2REQUEST', 'SCRYPTREQUEST', 'ARGON2REQUEST', 'HASHREQUEST', 'KEYGENREQUEST', 'KEYPAIRGENREQUEST', 'SIGNREQUEST', 'VERIFYREQUEST',
    'CIPHERREQUEST', 'DERIVEBITSREQUEST', 'KEYEXPORTREQUEST',
  );
  const crypto = process.getBuiltinModule('node:crypto') as Crypto;
  const codec = new KeyCodec(crypto);
  patchBytes(session, crypto);
  patchKeys(session, crypto, codec);
  patchSignatures(session, crypto);
  for (const name of ['pbkdf2', 'scrypt', 'hkdf', 'checkPrime', 'verify', 'argon2', 'diffieHellman', 'decapsulate']) orderCallback(session, crypto, name);
  patchSubtle(session, crypto, codec);
}

/** Random bytes and numbers: synchronous, or served to a callback. */
function patchBytes(session: Session, crypto: Crypto): void {
  const { randomBytes: natively } = crypto;
  const drawing = (name: string) => (native: AnyFunction): AnyFunction => function (this: unknown, ...args: unknown[]): unknown {
    const callback = args[args.length - 1];
    const key = jsonStringify([name, ...args.filter((arg) => typeof arg === 'number')]);
    if (typeof callback === 'function') return serveCallback(session, key, (done) => apply(native, this, [...args.slice(0, -1), done]) as unknown, callback as AnyFunction);
    return drawn(session, key, () => apply(native, this, args));
  };
  for (const name of ['randomBytes', 'randomInt', 'generatePrime', 'generatePrimeSync', 'randomUUID', 'randomUUIDv7']) patchMethod(crypto, name, drawing(name));
  // Deprecated names for randomBytes: accessors that become properties when they are first read.
  for (const name of ['pseudoRandomBytes', 'prng', 'rng']) {
    patchGetter(crypto, name, (get) => function (this: object): unknown {
      const native = apply(get, this, []) as AnyFunction;
      const shim = replacementOf(native) ?? disguise(drawing('randomBytes')(native), native);
      patchValue(this, name, shim);
      return shim;
    });
  }
  patchMethod(crypto, 'randomFillSync', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return fill(session, 'randomFillSync', args, () => apply(native, this, args));
  });
  patchMethod(crypto, 'randomFill', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const callback = args[args.length - 1];
    if (typeof callback !== 'function') return apply(native, this, args);
    const place = placeOf(args.slice(0, -1));
    const { target } = place;
    return session.served('crypto', '["randomFill"]', (settle) => {
      apply(native, this, [...args.slice(0, -1), (error: unknown) => settle(0, encodeOutcome(error ? { error } : filling(place)))]);
    }, (_, data) => {
      const outcome = decodeOutcome(data) as Outcome;
      if ('error' in outcome) return void (callback as AnyFunction)(outcome.error);
      target.set(sized(session, 'randomFill', filled(outcome, place), target.length, () => natively(target.length)));
      (callback as AnyFunction)(null, args[0]);
    });
  });
  const web = crypto.webcrypto as unknown as object;
  const prototype = Object.getPrototypeOf(web) as object;
  patchMethod(prototype, 'getRandomValues', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return fill(session, 'getRandomValues', args.slice(0, 1), () => apply(native, this === globalThis || this === undefined || this === crypto ? web : this, args));
  });
  patchMethod(prototype, 'randomUUID', (native) => function (this: unknown): unknown {
    return drawn(session, '["randomUUID"]', () => apply(native, this, []) as string);
  });
}

/**
 * Drawing is cheap and touches nothing: it is done in both modes, so that a wrong argument fails natively in both, and the
 * recorded draw takes the place of the new one.
 */
function drawn(session: Session, key: string, draw: () => unknown): unknown {
  const fresh = asOwn(draw);
  let live = false;
  const recorded = session.value('entropy', key, () => {
    live = true;
    return { status: 0, data: encodeOutcome({ result: fresh }) };
  });
  return live ? fresh : revive((decodeOutcome(recorded.data) as { result: unknown }).result);
}

function fill(session: Session, name: string, args: readonly unknown[], natively: () => unknown): unknown {
  asOwn(natively);
  const place = placeOf(args);
  const { target } = place;
  const recorded = session.value('entropy', `["${name}"]`, () => ({ status: 0, data: encodeOutcome(filling(place)) }));
  target.set(sized(session, name, filled(decodeOutcome(recorded.data) as Filled, place), target.length, () => target));
  return args[0];
}

type Filled = Extract<Outcome, { readonly result: unknown }>;

function filling({ target, offset }: Place): Outcome {
  return { result: offset, bytes: target.slice() };
}

/** @returns what has to stand in the place that is to be filled. Older recordings hold all that the place lies in. */
function filled({ result, bytes = bufferFrom('') }: Filled, { offset, whole, target }: Place): Uint8Array {
  return result !== undefined || bytes.length !== whole ? bytes : bytes.subarray(offset, offset + target.length);
}

interface Place {
  readonly target: Uint8Array;
  /** Where it lies in what the program has given, bytes. */
  readonly offset: number;
  /** Of what the program has given, bytes. */
  readonly whole: number;
}

/** @param args what is to be filled, from which element, and how many of them; the runtime refuses what cannot be filled */
function placeOf([given, first = 0, count]: readonly unknown[]): Place {
  const bytes = bytesOf(given);
  const size = ArrayBuffer.isView(given) ? ((given as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1) : 1;
  const offset = typeof first === 'number' ? first * size : 0;
  return { target: bytes.subarray(offset, typeof count === 'number' ? offset + count * size : undefined), offset, whole: bytes.length };
}

/** How much was to be filled is no part of what was recorded as asked: where it is more or less now, that is another question. */
function sized(session: Session, name: string, recorded: Uint8Array, size: number, fresh: () => Uint8Array): Uint8Array {
  if (recorded.length === size) return recorded;
  const instead = session.value('entropy', jsonStringify([name, size]), () => ({ status: 0, data: encodeOutcome({ result: undefined, bytes: fresh().slice() }) }));
  return (decodeOutcome(instead.data) as { bytes: Uint8Array }).bytes;
}

/** Keys take long to generate: only done in replay when it failed when recorded, and fails natively again. */
function generated(session: Session, codec: KeyCodec, key: string, generate: () => unknown): unknown {
  let live: Outcome | undefined;
  const recorded = session.value('entropy', key, () => {
    live = attempt(generate);
    return { status: 0, data: encodeOutcome('error' in live ? live : { result: codec.encode(live.result) }) };
  });
  const outcome = live ?? decodeOutcome(recorded.data);
  if (!('error' in outcome)) return live ? outcome.result : codec.decode(outcome.result);
  if (!live) asOwn(generate);
  throw outcome.error;
}

function patchKeys(session: Session, crypto: Crypto, codec: KeyCodec): void {
  for (const name of ['generateKeySync', 'generateKeyPairSync']) {
    patchMethod(crypto, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      return generated(session, codec, `["${name}"]`, () => apply(native, this, args));
    });
  }
  for (const name of ['generateKey', 'generateKeyPair', 'encapsulate']) {
    patchMethod(crypto, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      const callback = args[args.length - 1] as AnyFunction;
      if (typeof callback !== 'function') return name === 'encapsulate' ? generated(session, codec, '["encapsulate"]', () => apply(native, this, args)) : apply(native, this, args);
      return session.served('crypto', `["${name}"]`, (settle) => {
        apply(native, this, [...args.slice(0, -1), (error: unknown, ...keys: unknown[]) => settle(0, encodeOutcome(error ? { error } : { result: keys.map((key) => codec.encode(key)) }))]);
      }, (_, data) => {
        const outcome = decodeOutcome(data);
        if ('error' in outcome) callback(outcome.error);
        else callback(null, ...(outcome.result as unknown[]).map((key) => codec.decode(key)));
      });
    });
  }
  for (const Type of [crypto.ECDH, crypto.DiffieHellman]) {
    // Groups share the implementation, but not every method; natively the setters take them too.
    const { setPrivateKey, setPublicKey } = Type.prototype as unknown as Record<string, AnyFunction>;
    patchMethod(Type.prototype as object, 'generateKeys', (native) => function generateKeys(this: { getPrivateKey(): Buffer; getPublicKey(...args: unknown[]): unknown }, ...args: unknown[]): unknown {
      const keys = readValue(session, 'entropy', '["generateKeys"]', generateKeys, () => {
        apply(native, this, args);
        return { privateKey: this.getPrivateKey(), publicKey: this.getPublicKey() as Buffer };
      });
      apply(setPrivateKey as AnyFunction, this, [bufferFrom(keys.privateKey)]);
      if (Type === crypto.DiffieHellman) apply(setPublicKey as AnyFunction, this, [bufferFrom(keys.publicKey)]);
      return this.getPublicKey(...args);
    });
  }
  patchAlias(crypto.DiffieHellmanGroup.prototype as object, 'generateKeys');
}

/** ECDSA, DSA, RSA-PSS and OAEP draw randomness: their outputs are values of the run. */
function patchSignatures(session: Session, crypto: Crypto): void {
  patchMethod(crypto, 'sign', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const callback = args[3];
    if (typeof callback === 'function') return serveCallback(session, '["sign"]', (done) => apply(native, this, [...args.slice(0, 3), done]) as unknown, callback as AnyFunction);
    return drawn(session, '["sign"]', () => apply(native, this, args));
  });
  patchMethod(crypto.Sign.prototype as object, 'sign', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return drawn(session, '["sign"]', () => apply(native, this, args));
  });
  patchMethod(crypto, 'publicEncrypt', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return drawn(session, '["publicEncrypt"]', () => apply(native, this, args));
  });
}

function serveCallback(session: Session, key: string, start: (done: AnyFunction) => unknown, callback: AnyFunction): unknown {
  return session.served('crypto', key, (settle) => {
    start((error: unknown, result: unknown) => settle(0, encodeOutcome(error ? { error } : { result })));
  }, (_, data) => {
    const outcome = decodeOutcome(data);
    if ('error' in outcome) callback(outcome.error);
    else callback(null, revive(outcome.result));
  });
}

function orderCallback(session: Session, crypto: Crypto, name: string): void {
  patchMethod(crypto, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
    const callback = args[args.length - 1];
    if (typeof callback !== 'function') return apply(native, this, args);
    return session.ordered('crypto', `["${name}"]`, false, (settle) => {
      apply(native, this, [...args.slice(0, -1), (...results: unknown[]) => settle(() => void apply(callback as AnyFunction, undefined, results))]);
    });
  });
}

/** WebCrypto: what draws randomness is served, everything else is ordered. */
function patchSubtle(session: Session, crypto: Crypto, codec: KeyCodec): void {
  const prototype = Object.getPrototypeOf(crypto.webcrypto.subtle) as object;
  for (const name of ['sign', 'encrypt', 'wrapKey', 'encapsulateBits']) {
    patchMethod(prototype, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      return servedPromise(session, `["subtle.${name}"]`, () => apply(native, this, args) as Promise<unknown>, (value) => Promise.resolve(value), (value) => value);
    });
  }
  patchMethod(prototype, 'generateKey', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const [algorithm, extractable, usages] = args as [webcrypto.AlgorithmIdentifier, boolean, webcrypto.KeyUsage[]];
    // A key that may not be exported could not be recorded: the program gets it imported again, as it asked for it.
    return servedPromise(session, '["subtle.generateKey"]', () => apply(native, this, [algorithm, true, usages, ...args.slice(3)]) as Promise<unknown>, (value) => codec.encodeWeb(value), (value) => codec.decodeWeb(value, algorithm, extractable, usages));
  });
  patchMethod(prototype, 'encapsulateKey', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const [algorithm, key, sharedAlgorithm, extractable, usages] = args as [unknown, unknown, webcrypto.AlgorithmIdentifier, boolean, webcrypto.KeyUsage[]];
    type Encapsulated = Record<'sharedKey' | 'ciphertext', unknown>;
    return servedPromise(session, '["subtle.encapsulateKey"]', () => apply(native, this, [algorithm, key, sharedAlgorithm, true, usages]) as Promise<unknown>,
      async (value) => ({ ...(value as Encapsulated), sharedKey: await codec.encodeWeb((value as Encapsulated).sharedKey) }),
      async (value) => ({ ...(value as Encapsulated), sharedKey: await codec.decodeWeb((value as Encapsulated).sharedKey, sharedAlgorithm, extractable, usages) }));
  });
  for (const name of ['digest', 'verify', 'decrypt', 'deriveKey', 'deriveBits', 'importKey', 'exportKey', 'unwrapKey', 'decapsulateBits', 'decapsulateKey', 'getPublicKey']) {
    patchMethod(prototype, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      return new Promise((resolve, reject) => {
        session.ordered('crypto', `["subtle.${name}"]`, false, (settle) => {
          (apply(native, this, args) as Promise<unknown>).then((value) => settle(() => resolve(value)), (error: unknown) => settle(() => reject(error as Error)));
        });
      });
    });
  }
}

function servedPromise(session: Session, key: string, start: () => Promise<unknown>, encode: (value: unknown) => Promise<unknown>, decode: (value: unknown) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.served('crypto', key, (settle) => {
      const fail = (error: unknown): void => settle(0, encodeOutcome({ error }));
      start().then(encode).then((result) => settle(0, encodeOutcome({ result })), fail);
    }, (_, data) => {
      const outcome: Outcome = decodeOutcome(data);
      if ('error' in outcome) reject(outcome.error as Error);
      // A key that is imported in place of the generated one has been warned of.
      else resolve(quietly(() => decode(outcome.result)));
    });
  });
}

function bytesOf(target: unknown): Uint8Array {
  if (ArrayBuffer.isView(target)) return new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  return isAnyArrayBuffer(target) ? new Uint8Array(target) : bufferFrom('');
}
