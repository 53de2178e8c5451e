/** How a connection to PostgreSQL began: who logged in where. What was said about passwords is not read. */
import { Carrier, type Said } from '../said.ts';
import type { StepError } from '../step.ts';
import { Reader } from './reader.ts';

const CANCEL = 80877102;
const METHODS: Readonly<Record<number, string>> = { 2: 'kerberos', 3: 'password', 5: 'md5', 7: 'gssapi', 9: 'sspi' };
const SASL = 10;

export class Login {
  readonly carrier: Carrier = new Carrier();
  encrypted = false;
  error: StepError | null = null;
  endedAt: number | null = null;
  readonly #address: string;
  readonly #named: Record<string, string> = {};
  #server: string | null = null;
  #authentication = 'trust';
  #cancels: number | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  /** The connection is there to stop a query of another, and nothing else. */
  get cancels(): boolean {
    return this.#cancels !== undefined;
  }

  /** @param body of the first message that says who is there, or whose query is to be cancelled */
  startup(code: number, body: Buffer): void {
    const fields = new Reader(body.subarray(4));
    if (code === CANCEL) {
      this.#cancels = fields.uint32();
      return;
    }
    for (let name = fields.text(); name !== ''; name = fields.text()) {
      const value = fields.text();
      if (name === 'user' || name === 'database' || name === 'application_name') this.#named[name] = value;
    }
  }

  authentication(body: Buffer): void {
    const fields = new Reader(body);
    const code = fields.int32();
    if (code === SASL) this.#authentication = fields.text().toLowerCase() || 'sasl';
    else this.#authentication = METHODS[code] ?? this.#authentication;
  }

  parameter(name: string, value: string): void {
    if (name === 'server_version') this.#server = value;
  }

  said(): Said {
    const { user, database = user, application_name: application } = this.#named;
    const { carrier: { seqs, startedAt }, endedAt, error } = this;
    const base = { seqs, startedAt, endedAt, kind: 'state' as const, error };
    if (this.#cancels !== undefined) {
      const name = `postgres cancel ${this.#address}`;
      return { ...base, name, summary: `${name}: the query of process ${this.#cancels}`, input: { address: this.#address, protocol: 'postgres', cancels: this.#cancels }, output: null, asked: name };
    }
    const name = `postgres ${user === undefined ? '' : `${user}@`}${this.#address}${database === undefined ? '' : `/${database}`}`;
    const came = error ? `${error.code} ${error.message}` : this.#server === null ? 'no answer' : [`server ${this.#server}`, this.#authentication, ...(this.encrypted ? ['TLS'] : [])].join(', ');
    return {
      ...base,
      name,
      summary: `${name} → ${came}`,
      input: { address: this.#address, protocol: 'postgres', user: user ?? null, database: database ?? null, ...(application !== undefined && { application }) },
      output: this.#server === null ? null : { server: this.#server, authentication: this.#authentication, encrypted: this.encrypted },
      asked: name,
    };
  }
}
