/**
 * What the functions of WASI preview1 take, and where in the module's memory their results go. Addresses are the program's own
 * business: what is asked is the same wherever it lies.
 */
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';

/**
 * Of one or two arguments each. `number`, `large`: 32 and 64 bits; `path`, `bytes`: what the program hands over, a text, or
 * buffers by a list of addresses; `vectors`, `buffer`: where bytes go, by such a list, or one place; `outN`: a place of N bytes;
 * `count`: one of 4 bytes, for how many went; `subscriptions`, `events`: lists, whose common length is the third argument.
 */
type Role = 'number' | 'large' | 'path' | 'bytes' | 'vectors' | 'buffer' | 'count' | 'out4' | 'out8' | 'out24' | 'out64' | 'subscriptions' | 'events';

/** Not among them: what was given to the constructor (`args_get`, `environ_get`, …), `sched_yield`, and what ends the process. */
const ABI: Readonly<Record<string, readonly Role[]>> = {
  clock_res_get: ['number', 'out8'],
  clock_time_get: ['number', 'large', 'out8'],
  fd_advise: ['number', 'large', 'large', 'number'],
  fd_allocate: ['number', 'large', 'large'],
  fd_close: ['number'],
  fd_datasync: ['number'],
  fd_fdstat_get: ['number', 'out24'],
  fd_fdstat_set_flags: ['number', 'number'],
  fd_fdstat_set_rights: ['number', 'large', 'large'],
  fd_filestat_get: ['number', 'out64'],
  fd_filestat_set_size: ['number', 'large'],
  fd_filestat_set_times: ['number', 'large', 'large', 'number'],
  fd_pread: ['number', 'vectors', 'large', 'count'],
  fd_prestat_get: ['number', 'out8'],
  fd_prestat_dir_name: ['number', 'buffer'],
  fd_pwrite: ['number', 'bytes', 'large', 'count'],
  fd_read: ['number', 'vectors', 'count'],
  fd_readdir: ['number', 'buffer', 'large', 'count'],
  fd_renumber: ['number', 'number'],
  fd_seek: ['number', 'large', 'number', 'out8'],
  fd_sync: ['number'],
  fd_tell: ['number', 'out8'],
  fd_write: ['number', 'bytes', 'count'],
  path_create_directory: ['number', 'path'],
  path_filestat_get: ['number', 'number', 'path', 'out64'],
  path_filestat_set_times: ['number', 'number', 'path', 'large', 'large', 'number'],
  path_link: ['number', 'number', 'path', 'number', 'path'],
  path_open: ['number', 'number', 'path', 'number', 'large', 'large', 'number', 'out4'],
  path_readlink: ['number', 'path', 'buffer', 'count'],
  path_remove_directory: ['number', 'path'],
  path_rename: ['number', 'path', 'number', 'path'],
  path_symlink: ['path', 'number', 'path'],
  path_unlink_file: ['number', 'path'],
  poll_oneoff: ['subscriptions', 'events', 'number', 'out4'],
  random_get: ['buffer'],
  sock_accept: ['number', 'number', 'out4'],
  sock_recv: ['number', 'vectors', 'number', 'count', 'out4'],
  sock_send: ['number', 'bytes', 'number', 'count'],
  sock_shutdown: ['number', 'number'],
};

export const WASI_NAMES: readonly string[] = Object.keys(ABI);

const PAIRS: ReadonlySet<Role> = new Set(['path', 'bytes', 'vectors', 'buffer']);
const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
const VECTOR_BYTES = 8;

/** A part of the module's memory. */
export interface Place {
  readonly at: number;
  readonly length: number;
}

export interface WasiCall {
  readonly name: string;
  /** Numbers, texts and lengths, in the order of the arguments. */
  readonly asked: readonly unknown[];
  /** What is written, of the functions that write. */
  readonly bytes: Buffer | undefined;
  /** What a success fills, each whole. */
  readonly results: readonly Place[];
  /** What it fills one after the other, as far as the bytes go. */
  readonly buffers: readonly Place[];
  /** Where it says how many bytes those are; undefined: all that there is room for. */
  readonly count: Place | undefined;
}

function rolesOf(name: string): readonly Role[] {
  return ABI[name] as readonly Role[];
}

function kindsOf(roles: readonly Role[]): string[] {
  return roles.flatMap((role) => (PAIRS.has(role) ? ['number', 'number'] : [role === 'large' ? 'bigint' : 'number']));
}

const kindsByName = new Map<string, readonly string[]>();

/** @returns whether the runtime takes these arguments; others it refuses before it does anything */
export function fits(name: string, args: readonly unknown[]): boolean {
  let kinds = kindsByName.get(name);
  if (!kinds) kindsByName.set(name, (kinds = kindsOf(rolesOf(name))));
  const expected = kinds;
  return args.length === expected.length && args.every((arg, index) => typeof arg === expected[index] && (typeof arg === 'bigint' || arg === (arg as number) >>> 0));
}

/** @param args that fit @param memory all of the module's, before the call */
export function callOf(name: string, args: readonly unknown[], memory: Buffer): WasiCall {
  const asked: unknown[] = [];
  const results: Place[] = [];
  const buffers: Place[] = [];
  let bytes: Buffer | undefined;
  let count: Place | undefined;
  let index = 0;
  const take = (): number => Number(args[index++]);
  const pair = (): Place => ({ at: take(), length: take() });
  for (const role of rolesOf(name)) {
    switch (role) {
      case 'number':
        asked.push(take());
        break;
      case 'large':
        asked.push(String(args[index++]));
        break;
      case 'path':
        asked.push(textOf(bytesAt(memory, pair())));
        break;
      case 'bytes': {
        const parts = vectorsAt(memory, pair());
        bytes = parts.length === 1 ? bytesAt(memory, parts[0] as Place) : bufferConcat(parts.map((part) => bytesAt(memory, part)));
        asked.push(bytes.length);
        break;
      }
      case 'vectors':
        buffers.push(...vectorsAt(memory, pair()));
        asked.push(buffers.map(({ length }) => length));
        break;
      case 'buffer':
        buffers.push(pair());
        asked.push((buffers[0] as Place).length);
        break;
      case 'subscriptions':
        asked.push(subscriptionsAt(memory, take(), Number(args[2])));
        break;
      case 'events':
        results.push({ at: take(), length: Number(args[2]) * EVENT_BYTES });
        break;
      default: {
        const place = { at: take(), length: role === 'count' ? 4 : Number(role.slice('out'.length)) };
        results.push(place);
        if (role === 'count') count = place;
      }
    }
  }
  return { name, asked, bytes, results, buffers, count };
}

export function bytesAt(memory: Buffer, { at, length }: Place): Buffer {
  return memory.subarray(at, at + length);
}

/** What lies at the places together, but for what is behind `most` bytes; in pieces of at most `piece` bytes. */
export function piecesOf(places: readonly Place[], most: number, piece: number): Place[] {
  const pieces: Place[] = [];
  let left = most;
  for (const { at, length } of places) {
    const end = at + Math.min(length, left);
    for (let from = at; from < end; from += piece) pieces.push({ at: from, length: Math.min(piece, end - from) });
    left -= end - at;
  }
  return pieces;
}

/** A list that is not wholly in memory is refused as a whole. */
function vectorsAt(memory: Buffer, { at, length }: Place): Place[] {
  if (at + length * VECTOR_BYTES > memory.length) return [];
  return Array.from({ length }, (_, index) => ({ at: memory.readUInt32LE(at + index * VECTOR_BYTES), length: memory.readUInt32LE(at + index * VECTOR_BYTES + 4) }));
}

/** What a program waits for: a clock, or a descriptor that can be read or written. */
function subscriptionsAt(memory: Buffer, at: number, count: number): unknown[] {
  if (at + count * SUBSCRIPTION_BYTES > memory.length) return [];
  return Array.from({ length: count }, (_, index) => {
    const subscription = bytesAt(memory, { at: at + index * SUBSCRIPTION_BYTES, length: SUBSCRIPTION_BYTES });
    const [userdata, type] = [String(subscription.readBigUInt64LE(0)), subscription[8]];
    if (type !== 0) return { [type === 1 ? 'read' : type === 2 ? 'write' : String(type)]: subscription.readUInt32LE(16), userdata };
    return { clock: subscription.readUInt32LE(16), timeout: String(subscription.readBigUInt64LE(24)), precision: String(subscription.readBigUInt64LE(32)), flags: subscription.readUInt16LE(40), userdata };
  });
}

/** As it is, if it is UTF-8. */
function textOf(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return bytes.equals(bufferFrom(text, 'utf8')) ? text : { bytes: bytes.toString('hex') };
}
