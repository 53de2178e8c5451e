/** Values as the journal keeps them: in short, or as a structured clone, and errors with their own properties. */
import { deserialize, getPrototypeOf, isDOMException, nativeDOMException, NativeError, reflectSet, serialize, setPrototypeOf } from '../runtime/natives.ts';
import { decodeCompact, encodeBytes, encodeCompact, encodeFilled, isClone } from './compact.ts';
import { isNodeError, markNodeError } from '../runtime/node-error.ts';

interface RecordedError {
  readonly errorName: string;
  readonly message: string;
  readonly properties: readonly (readonly [string, unknown])[];
  readonly isDom?: true;
  /** Node's own, which show their code behind their name. */
  readonly isNode?: true;
}

const CONSTRUCTORS: Readonly<Record<string, ErrorConstructor>> = { TypeError, RangeError, SyntaxError } as Record<string, ErrorConstructor>;

/** What a call came to: its result, or the error that it threw. */
export type Outcome = { readonly result: unknown; readonly bytes?: Uint8Array } | { readonly error: unknown };

export function encodeError(error: unknown): RecordedError {
  const { name, message } = error as Error;
  const properties = Object.keys(error as object).filter((key) => key !== 'stack').map((key) => [key, (error as Record<string, unknown>)[key]] as const);
  return { errorName: name, message, properties, ...(isDOMException(error) && { isDom: true }), ...(isNodeError(error) && { isNode: true }) };
}

export function decodeError(recorded: RecordedError): Error {
  // An error made by native code has no JavaScript frames of its own.
  const { stackTraceLimit } = NativeError;
  reflectSet(NativeError, 'stackTraceLimit', 0);
  try {
    const error = recorded.isDom ? (new (nativeDOMException())(recorded.message, recorded.errorName) as Error) : new (CONSTRUCTORS[recorded.errorName] ?? NativeError)(recorded.message);
    for (const [key, value] of recorded.properties) (error as unknown as Record<string, unknown>)[key] = value;
    if (recorded.isNode) markNodeError(error as NodeJS.ErrnoException);
    return error;
  } finally {
    reflectSet(NativeError, 'stackTraceLimit', stackTraceLimit);
  }
}

export function encodeOutcome(outcome: Outcome): Buffer {
  if ('error' in outcome) return serialize({ error: encodeError(outcome.error) });
  if (outcome.bytes) {
    if (outcome.result === undefined) return encodeBytes(outcome.bytes);
    return outcome.result === outcome.bytes.length ? encodeFilled(outcome.bytes) : serialize(outcome);
  }
  return encodeCompact(outcome.result) ?? serialize(withBareness(outcome));
}

export function decodeOutcome(data: Uint8Array): Outcome {
  if (!isClone(data)) return decodeCompact(data);
  const outcome = deserialize(data) as Outcome & Partial<Bareness>;
  if ('error' in outcome) return { error: decodeError(outcome.error as RecordedError) };
  if (outcome.bare !== undefined) undress(outcome.result, outcome.bare);
  return outcome;
}

/** Which objects have no prototype, which a structured clone does not keep: the value itself, the items of an array, the member `value`. */
interface Bareness {
  readonly bare: number;
}

const SELF = 1;
const ITEMS = 2;
const MEMBER = 4;

function withBareness<T extends { readonly result: unknown }>(outcome: T): T & Partial<Bareness> {
  const { result } = outcome;
  if (Array.isArray(result)) return isBare(result[0]) ? { ...outcome, bare: ITEMS } : outcome;
  const bare = (isBare(result) ? SELF : 0) | (isBare(Object(result).value) ? MEMBER : 0);
  return bare > 0 ? { ...outcome, bare } : outcome;
}

function isBare(value: unknown): boolean {
  return typeof value === 'object' && value !== null && getPrototypeOf(value) === null;
}

function undress(result: unknown, bare: number): void {
  if ((bare & SELF) !== 0) setPrototypeOf(result, null);
  if ((bare & ITEMS) !== 0) for (const item of result as object[]) setPrototypeOf(item, null);
  if ((bare & MEMBER) !== 0) setPrototypeOf((result as { value: object }).value, null);
}

/** Arguments of a native callback; errors among them survive. */
export function encodeArguments(values: readonly unknown[]): Buffer {
  return serialize(values.map((value) => (value instanceof NativeError ? { error: encodeError(value) } : { value })));
}

export function decodeArguments(data: Uint8Array): unknown[] {
  const slots = deserialize(data) as ({ error: RecordedError } | { value: unknown })[];
  return slots.map((slot) => ('error' in slot ? decodeError(slot.error) : slot.value));
}
