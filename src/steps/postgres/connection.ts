/** One connection to PostgreSQL, both directions: which answer belongs to which statement. */
import { bufferConcat } from '../../runtime/natives.ts';
import { Carrier, type Connection, endingOf, type Said, shortly } from '../said.ts';
import type { StepError } from '../step.ts';
import { Execution, type Field, formatOf } from './execution.ts';
import { type Frame, Frames } from './frames.ts';
import { Login } from './login.ts';
import { Reader } from './reader.ts';

const TLS = 80877103;
const GSSAPI = 80877104;
const NOTHING = bufferConcat([]);
const SKIPPED: StepError = { code: 'SKIPPED', message: 'a statement before it in the same batch failed' };

interface Statement {
  readonly sql: string;
  readonly name: string;
  /** 0: left to the server. */
  types: readonly number[];
  fields: readonly Field[] | undefined;
  /** Events that prepared it and belong to nobody yet. */
  carrier: Carrier;
}

interface Portal {
  readonly statement: Statement;
  readonly carrier: Carrier;
  readonly execution: Execution;
  readonly formats: readonly number[];
  fields: readonly Field[] | undefined;
}

/** What the client has asked and the server has not answered, in the order of asking. */
type Asked =
  | { readonly what: 'parse' | 'bind' | 'close' | 'function'; readonly carrier: Carrier }
  | { readonly what: 'describe-statement'; readonly carrier: Carrier; readonly statement: Statement }
  | { readonly what: 'describe-portal' | 'execute'; readonly carrier: Carrier; readonly portal: Portal }
  | { readonly what: 'query'; readonly carrier: Carrier; readonly execution: Execution }
  | { readonly what: 'sync'; readonly carrier: Carrier | undefined };

export class PostgresConnection implements Connection {
  readonly #client = new Frames(false);
  readonly #server = new Frames(true);
  readonly #login: Login;
  readonly #executions: Execution[] = [];
  readonly #messages: Said[] = [];
  readonly #statements = new Map<string, Statement>();
  readonly #portals = new Map<string, Portal>();
  readonly #owners = new Map<Carrier, Execution>();
  #asked: Asked[] = [];
  #loggedIn = false;
  /** The server is about to say by one byte whether it can encrypt. */
  #asksToEncrypt = false;
  /** What the client last touched, since it last asked for the server to be ready. */
  #batch: Carrier | undefined;
  #copying: Execution | undefined;

  /** @param loggedIn it is heard only from where statements are asked */
  constructor(address: string, loggedIn = false) {
    this.#login = new Login(address);
    this.#client.typed = loggedIn;
    this.#loggedIn = loggedIn;
  }

  write(seq: number, at: number, bytes: Buffer): void {
    for (const frame of this.#client.feed(seq, bytes)) {
      if (frame.type === '') this.#begin(frame, at);
      else this.#ask(frame, at);
    }
  }

  read(seq: number, at: number, bytes: Buffer): void {
    let rest = bytes;
    if (this.#asksToEncrypt && bytes.length > 0) {
      this.#asksToEncrypt = false;
      this.#login.carrier.add([seq], at);
      const answer = bytes.latin1Slice(0, 1);
      this.#login.encrypted = answer === 'S' || answer === 'G';
      // A server from before there was encryption answers with an error.
      if (this.#login.encrypted || answer === 'N') rest = bytes.subarray(1);
    }
    for (const frame of this.#server.feed(seq, rest)) this.#answer(frame, at);
  }

  end(at: number, how: string): void {
    if (!this.#loggedIn && this.#login.endedAt === null && !this.#login.cancels) {
      this.#login.endedAt = at;
      this.#login.error ??= endingOf(how, this.#login.carrier.seqs.size > 1);
    }
    for (const execution of this.#pending()) {
      execution.error ??= endingOf(how, execution.answered);
      execution.endedAt = at;
    }
    this.#asked = [];
  }

  said(): Said[] {
    const login = this.#login.carrier.seqs.size > 0 ? [this.#login.said()] : [];
    const pending = this.#pending();
    return [...login, ...this.#executions.map((execution) => execution.said(pending.has(execution))), ...this.#messages];
  }

  #begin({ body, seqs }: Frame, at: number): void {
    this.#login.carrier.add(seqs, at);
    if (!body || body.length < 4) return;
    const code = body.readUInt32BE(0);
    if (code === TLS || code === GSSAPI) {
      this.#asksToEncrypt = true;
      return;
    }
    this.#client.typed = true;
    this.#login.startup(code, body);
    if (this.#login.cancels) this.#login.endedAt = at;
  }

  #ask({ type, body, length, seqs }: Frame, at: number): void {
    // Passwords and what SCRAM exchanges instead of them.
    if (type === 'p') {
      if (!this.#loggedIn) this.#login.carrier.add(seqs, at);
      return;
    }
    if (type === 'd' || type === 'c' || type === 'f') {
      this.#copy(type, length, seqs, at);
      return;
    }
    const fields = new Reader(body ?? NOTHING);
    switch (type) {
      case 'Q': {
        const carrier = carrying(seqs, at);
        const execution = this.#execute(new Execution(carrier, body ? fields.text() : `(${length} bytes)`));
        this.#asked.push({ what: 'query', carrier, execution });
        return;
      }
      case 'P':
        this.#parse(fields, body ? undefined : length, seqs, at);
        return;
      case 'B':
        this.#bind(fields, seqs, at);
        return;
      case 'D':
        this.#describe(fields, seqs, at);
        return;
      case 'E': {
        const portal = this.#portals.get(fields.text());
        if (!portal) return;
        this.#touch(portal.carrier, seqs, at);
        if (!this.#owners.has(portal.carrier)) this.#execute(portal.execution);
        this.#asked.push({ what: 'execute', carrier: portal.carrier, portal });
        return;
      }
      case 'C': {
        const kind = fields.letter();
        const name = fields.text();
        const carrier = (kind === 'S' ? this.#statements.get(name)?.carrier : this.#portals.get(name)?.carrier) ?? new Carrier();
        this.#touch(carrier, seqs, at);
        (kind === 'S' ? this.#statements : this.#portals).delete(name);
        this.#asked.push({ what: 'close', carrier });
        return;
      }
      case 'S':
        this.#batch?.add(seqs, at);
        this.#asked.push({ what: 'sync', carrier: this.#batch });
        this.#batch = undefined;
        return;
      case 'H':
        this.#batch?.add(seqs, at);
        return;
      case 'F':
        this.#asked.push({ what: 'function', carrier: carrying(seqs, at) }, { what: 'sync', carrier: undefined });
        return;
      default:
    }
  }

  #parse(fields: Reader, bytes: number | undefined, seqs: readonly number[], at: number): void {
    const name = fields.text();
    const sql = bytes === undefined ? fields.text() : `(${bytes} bytes)`;
    const carrier = new Carrier();
    this.#touch(carrier, seqs, at);
    this.#statements.set(name, { sql, name, types: fields.list(() => fields.uint32()), fields: undefined, carrier });
    this.#asked.push({ what: 'parse', carrier });
  }

  #bind(fields: Reader, seqs: readonly number[], at: number): void {
    const name = fields.text();
    const statement = this.#statements.get(fields.text()) ?? { sql: '(prepared before)', name: '', types: [], fields: undefined, carrier: new Carrier() };
    // What prepared it belongs to its first use.
    const { carrier } = statement;
    statement.carrier = new Carrier();
    this.#touch(carrier, seqs, at);
    const formats = fields.list(() => fields.int16());
    const values = fields.list(() => fields.value());
    const execution = new Execution(carrier, statement.sql, { values, formats, types: () => statement.types }, statement.name);
    this.#portals.set(name, { statement, carrier, execution, formats: fields.list(() => fields.int16()), fields: undefined });
    this.#asked.push({ what: 'bind', carrier });
  }

  #describe(fields: Reader, seqs: readonly number[], at: number): void {
    const kind = fields.letter();
    const name = fields.text();
    if (kind === 'S') {
      const statement = this.#statements.get(name);
      if (!statement) return;
      this.#touch(statement.carrier, seqs, at);
      this.#asked.push({ what: 'describe-statement', carrier: statement.carrier, statement });
    } else {
      const portal = this.#portals.get(name);
      if (!portal) return;
      this.#touch(portal.carrier, seqs, at);
      this.#asked.push({ what: 'describe-portal', carrier: portal.carrier, portal });
    }
  }

  #touch(carrier: Carrier, seqs: readonly number[], at: number): void {
    carrier.add(seqs, at);
    this.#batch = carrier;
  }

  #execute(execution: Execution): Execution {
    this.#executions.push(execution);
    this.#owners.set(execution.carrier, execution);
    return execution;
  }

  #copy(type: string, length: number, seqs: readonly number[], at: number): void {
    const execution = this.#copying;
    if (!execution) return;
    execution.carrier.add(seqs, at);
    if (type !== 'd' || execution.copied?.direction !== 'in') return;
    execution.copied.messages++;
    execution.copied.bytes += length;
  }

  #answer(frame: Frame, at: number): void {
    const { type, body, seqs } = frame;
    const fields = new Reader(body ?? NOTHING);
    switch (type) {
      case 'A':
        this.#notified(fields, seqs, at);
        return;
      case 'S':
        this.#login.parameter(fields.text(), fields.text());
        if (!this.#loggedIn) this.#login.carrier.add(seqs, at);
        return;
      case 'N':
        this.#executionOf(this.#asked[0])?.notice(noticeOf(fields));
        return;
      case 'E':
        this.#failed(errorOf(fields), seqs, at);
        return;
      case 'Z':
        this.#ready(seqs, at);
        return;
      default:
        if (this.#loggedIn) this.#came(frame, fields, at);
        else {
          this.#login.carrier.add(seqs, at);
          if (type === 'R' && body) this.#login.authentication(body);
        }
    }
  }

  /** An answer to what was asked first. */
  #came({ type, length, body, seqs }: Frame, fields: Reader, at: number): void {
    const asked = this.#asked[0];
    if (!asked) return;
    asked.carrier?.add(seqs, at);
    const execution = this.#executionOf(asked);
    execution?.heard(seqs, at);
    switch (type) {
      case '1':
      case '2':
      case '3':
      case 'V':
        this.#asked.shift();
        return;
      case 't':
        if (asked.what === 'describe-statement') asked.statement.types = fields.list(() => fields.uint32());
        return;
      case 'n':
        if (asked.what.startsWith('describe')) this.#asked.shift();
        return;
      case 'T':
        this.#described(asked, fieldsOf(fields));
        return;
      case 'D':
        execution?.row(length, body ? () => fields.list(() => fields.value()) : undefined, () => fieldsOfAsked(asked));
        return;
      case 'C':
      case 'I':
      case 's':
        this.#copying = undefined;
        if (type === 's') execution?.suspend();
        else execution?.complete(type === 'C' ? fields.text() : '', () => fieldsOfAsked(asked));
        if (asked.what === 'execute') this.#asked.shift();
        return;
      case 'G':
      case 'H':
      case 'W':
        this.#copying = execution;
        if (execution) execution.copied = { direction: type === 'G' ? 'in' : 'out', messages: 0, bytes: 0 };
        return;
      case 'd':
        if (execution?.copied?.direction !== 'out') return;
        execution.copied.messages++;
        execution.copied.bytes += length;
        return;
      default:
    }
  }

  #described(asked: Asked, fields: readonly Field[]): void {
    if (asked.what === 'query') asked.execution.describe(fields);
    else if (asked.what === 'describe-statement') asked.statement.fields = fields;
    else if (asked.what === 'describe-portal') asked.portal.fields = fields;
    if (asked.what.startsWith('describe')) this.#asked.shift();
  }

  #ready(seqs: readonly number[], at: number): void {
    if (!this.#loggedIn) {
      this.#loggedIn = true;
      this.#login.carrier.add(seqs, at);
      this.#login.endedAt = at;
      return;
    }
    const index = this.#asked.findIndex(({ what }) => what === 'sync' || what === 'query');
    if (index < 0) return;
    const done = this.#asked.splice(0, index + 1);
    for (const execution of this.#executionsOf(done.slice(0, -1))) {
      if (!execution.answered) execution.error ??= SKIPPED;
    }
    this.#executionOf(done.at(-1))?.heard(seqs, at);
  }

  #failed(error: StepError, seqs: readonly number[], at: number): void {
    this.#copying = undefined;
    if (!this.#loggedIn) {
      this.#login.carrier.add(seqs, at);
      this.#login.error = error;
      this.#login.endedAt = at;
      return;
    }
    const asked = this.#asked[0];
    if (!asked) {
      this.#messages.push({ seqs: new Set(seqs), startedAt: at, endedAt: at, kind: 'message', name: `postgres ${error.code}`, summary: `postgres ${error.code} ${error.message}`, input: null, output: null, error, asked: error.code });
      return;
    }
    const [failed = this.#unexecuted(asked.carrier), ...others] = this.#executionsOf(asked.what === 'query' ? [asked] : this.#untilSync());
    if (failed) {
      failed.heard(seqs, at);
      failed.error = error;
    }
    for (const other of others) other.error ??= SKIPPED;
  }

  /** After an error the server leaves out everything up to the next Sync. */
  #untilSync(): Asked[] {
    const sync = this.#asked.findIndex(({ what }) => what === 'sync');
    return this.#asked.splice(0, sync < 0 ? this.#asked.length : sync);
  }

  /** A statement that the server refused before it was to be run. */
  #unexecuted(carrier: Carrier | undefined): Execution | undefined {
    const statement = [...this.#statements.values()].find((each) => each.carrier === carrier);
    return statement && this.#execute(new Execution(statement.carrier, statement.sql, undefined, statement.name));
  }

  #executionOf(asked: Asked | undefined): Execution | undefined {
    return asked?.carrier && this.#owners.get(asked.carrier);
  }

  #executionsOf(asked: readonly Asked[]): Execution[] {
    return [...new Set(asked.flatMap((each) => this.#executionOf(each) ?? []))];
  }

  /** What has been asked and not wholly answered; of a batch, what is left of it. */
  #pending(): Set<Execution> {
    return new Set(this.#executionsOf(this.#asked.filter(({ what }) => what !== 'sync')));
  }

  #notified(fields: Reader, seqs: readonly number[], at: number): void {
    const pid = fields.uint32();
    const [channel, payload] = [fields.text(), fields.text()];
    const name = `postgres notification ${channel}`;
    this.#messages.push({ seqs: new Set(seqs), startedAt: at, endedAt: at, kind: 'message', name, summary: `${name}: ${shortly(payload, 120)}`, input: null, output: { channel, payload, pid }, error: null, asked: name });
  }
}

/** Whether a client's bytes are messages of the protocol, and nothing else, behind its login. */
export function asksPostgres(bytes: Buffer): boolean {
  let at = 0;
  while (at + 5 <= bytes.length && /[QPBDECSHpdcfFX]/.test(bytes.latin1Slice(at, at + 1))) {
    const length = bytes.readUInt32BE(at + 1);
    if (length < 4) return false;
    at += 1 + length;
  }
  return at === bytes.length && at > 0;
}

function fieldsOfAsked(asked: Asked): readonly Field[] | undefined {
  return asked.what === 'execute' ? columnsOf(asked.portal) : undefined;
}

function carrying(seqs: readonly number[], at: number): Carrier {
  const carrier = new Carrier();
  carrier.add(seqs, at);
  return carrier;
}

/** Where a portal was not described, as its statement was; in what format, it says itself. */
function columnsOf({ fields, statement, formats }: Portal): readonly Field[] | undefined {
  return fields ?? statement.fields?.map((field, index) => ({ ...field, format: formatOf(formats, index) }));
}

function fieldsOf(fields: Reader): Field[] {
  return fields.list(() => {
    const name = fields.text();
    fields.int32();
    fields.int16();
    const type = fields.uint32();
    fields.int16();
    fields.int32();
    return { name, type, format: fields.int16() };
  });
}

const PARTS: Readonly<Record<string, string>> = { S: 'severity', C: 'code', M: 'message', D: 'detail', H: 'hint', P: 'position', s: 'schema', t: 'table', c: 'column', d: 'dataType', n: 'constraint' };

function noticeOf(fields: Reader): Record<string, string> {
  const parts: Record<string, string> = {};
  for (let letter = fields.letter(); letter !== '' && letter !== '\0'; letter = fields.letter()) {
    const text = fields.text();
    const part = PARTS[letter];
    if (part !== undefined) parts[part] = text;
  }
  return parts;
}

function errorOf(fields: Reader): StepError {
  const { code = 'ERROR', message = '', ...rest } = noticeOf(fields);
  return { code, message, ...rest };
}
