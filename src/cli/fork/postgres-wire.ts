/** What a fork reads of a PostgreSQL connection: how it logged in, what it has prepared, and whether a new login can stand in for it. */
import { Frames } from '../../steps/postgres/frames.ts';

const VERSION_3 = 196608;
const CANCEL = 80877102;
const TLS = 80877103;
const GSSAPI = 80877104;

export interface Recorded {
  /** Parameters of the startup message: user, database, and settings. */
  readonly startup: Readonly<Record<string, string>>;
  /** Of statements with names: the messages that prepared them, whole. */
  readonly prepared: ReadonlyMap<string, Buffer>;
  /** What holds the session to its own state, in words. */
  readonly bound: string | undefined;
}

/** Whether these are the first bytes of a client. */
export function isLogin(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.readUInt32BE(0) >= 8 && bytes.readUInt32BE(0) < 10_000 && [VERSION_3, CANCEL, TLS, GSSAPI].includes(bytes.readUInt32BE(4));
}

/** A question before the login, which is answered by one byte. */
export function asksToEncrypt(bytes: Buffer): boolean {
  return bytes.length === 8 && [TLS, GSSAPI].includes(bytes.readUInt32BE(4));
}

export function startupOf(bytes: Buffer): Record<string, string> | undefined {
  if (bytes.length < 9 || bytes.readUInt32BE(4) !== VERSION_3 || bytes.length < bytes.readUInt32BE(0)) return undefined;
  const texts = bytes.toString('utf8', 8, bytes.readUInt32BE(0)).split('\0');
  const pairs: Record<string, string> = {};
  for (let index = 0; index + 1 < texts.length && texts[index] !== ''; index += 2) pairs[texts[index] as string] = texts[index + 1] as string;
  return pairs;
}

/** @param writes what the client sent @param reads what it received, of the same time */
export function readSession(writes: readonly Buffer[], reads: readonly Buffer[]): Recorded {
  const client = new Frames(false);
  const prepared = new Map<string, Buffer>();
  let startup: Record<string, string> = {};
  let isAsking = false;
  let bound: string | undefined;
  for (const [index, bytes] of writes.entries()) {
    for (const { type, body } of client.feed(index, bytes)) {
      if (!client.typed) {
        isAsking ||= body?.length === 4;
        startup = startupOf(message('', body ?? Buffer.alloc(0))) ?? startup;
        client.typed = Object.keys(startup).length > 0;
      } else if (body) {
        const [name = '', sql = ''] = type === 'P' ? body.toString('utf8').split('\0', 2) : ['', type === 'Q' ? body.toString('utf8') : ''];
        if (type === 'P' && name !== '') prepared.set(name, message('P', body));
        if (type === 'C' && body[0] === 0x53) prepared.delete(body.toString('utf8', 1, body.length - 1));
        bound ??= bindingIn(sql);
      }
    }
  }
  const server = new Frames(true);
  let status = 'I';
  for (const [index, bytes] of reads.entries()) for (const { type, body } of server.feed(index, isAsking && index === 0 ? bytes.subarray(1) : bytes)) if (type === 'Z' && body) status = body.toString('latin1');
  return { startup, prepared, bound: status === 'I' ? bound : 'an open transaction' };
}

const STATEMENT = String.raw`(?:^|;)(?:\s|--[^\n]*\n|/\*[^]*?\*/)*`;
const BINDING: readonly (readonly [pattern: RegExp, what: string])[] = [
  [new RegExp(`${STATEMENT}(?:SET|RESET)\\b(?!\\s+(?:LOCAL|TRANSACTION)\\b)|\\bset_config\\s*\\(`, 'i'), 'settings of its own (SET)'],
  [new RegExp(`${STATEMENT}(?:UN)?LISTEN\\b`, 'i'), 'notifications that it waits for (LISTEN)'],
  [new RegExp(`${STATEMENT}PREPARE\\b`, 'i'), 'statements that SQL has prepared (PREPARE)'],
  [new RegExp(`${STATEMENT}DECLARE\\b`, 'i'), 'cursors (DECLARE)'],
  [/\b(?:CREATE|INTO)\s+(?:GLOBAL\s+|LOCAL\s+)?TEMP(?:ORARY)?\b/i, 'temporary tables'],
  [/\bpg_(?:try_)?advisory_lock(?:_shared)?\s*\(/i, 'advisory locks'],
];

function bindingIn(sql: string): string | undefined {
  return sql === '' ? undefined : BINDING.find(([pattern]) => pattern.test(sql))?.[1];
}

export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type, 'latin1'), head, body]);
}

/** What a server says to a client that it has let in. */
export function welcome(parameters: ReadonlyMap<string, string>, key: { readonly processID: number; readonly secretKey: number }): Buffer {
  const numbers = Buffer.alloc(8);
  numbers.writeInt32BE(key.processID, 0);
  numbers.writeInt32BE(key.secretKey, 4);
  return Buffer.concat([message('R', Buffer.alloc(4)), ...[...parameters].map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`))), message('K', numbers), message('Z', Buffer.from('I'))]);
}

/** Statements that these messages run. @param known by name; those that are prepared here are added */
export function statementsIn(messages: readonly { readonly type: string; readonly body: Buffer | null }[], known: Map<string, string>): string[] {
  return messages.flatMap(({ type, body }) => {
    const [first = '', second = ''] = (body ?? Buffer.alloc(0)).toString('utf8').split('\0', 2);
    if (type === 'P') known.set(first, second);
    if (type === 'B') known.set('\0', known.get(second) ?? '');
    return type === 'Q' ? [first] : type === 'E' ? [known.get('\0') ?? ''] : [];
  });
}
