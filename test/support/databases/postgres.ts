/** A private PostgreSQL: one server for a test process, a database for each test; passwords are asked for by SCRAM, TLS is offered. */
import { chownSync, chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ROOT, TLS } from '../paths.ts';
import { type Daemon, findProgram, freePort, provesRefused, run, startDaemon, versionFolders } from './daemon.ts';

const BIN = versionFolders('/usr/lib/postgresql');
const PROGRAM = findProgram('postgres', BIN);
/** It refuses to run as root; its package makes this user. */
const USER = process.getuid?.() === 0 ? 'postgres' : undefined;
/** Downloads, and may have to build. */
const INSTALL_MS = 300_000;
const PASSWORD = 'a password of the tests';
const ACCESS = 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n';
const SETTINGS = ['listen_addresses=127.0.0.1', 'log_connections=on', 'log_min_messages=log', 'max_connections=60', 'ssl=on', 'ssl_cert_file=certificate.pem', 'ssl_key_file=key.pem'];
/** A machine that loses power loses a test. */
const FORGETFUL = ['shared_buffers=16MB', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0'];

/** The newest server's; Debian keeps what all programs share in a folder of its own. */
const PGVECTOR = `/usr/share/postgresql/${basename(dirname(dirname(PROGRAM ?? '/none/bin/postgres')))}/extension/vector.control`;

/** Only where the servers are required: nobody's `npm test` installs anything by itself. */
function requirePgvector(): void {
  if (!existsSync(PGVECTOR) && process.env['TEST_SERVERS'] === 'required') run(join(ROOT, 'scripts/install-pgvector.sh'), [], { cwd: ROOT, timeout: INSTALL_MS });
}

export class Postgres {
  /** Whether stores can be made in it. */
  static readonly hasPgvector: boolean = existsSync(PGVECTOR);
  static readonly installed: boolean = PROGRAM !== undefined && findProgram('psql', BIN) !== undefined && findProgram('setpriv') !== undefined;
  readonly #folder: string;
  readonly #data: string;
  readonly #settings: readonly string[];
  #port = 0;
  #daemon: Daemon | undefined;
  #databases = 0;
  #counts = 0;
  #logins = 0;

  /** @param options.durable as a server is installed: what is committed is on the disk. For measurements. */
  constructor({ durable = false }: { readonly durable?: boolean } = {}) {
    this.#settings = durable ? SETTINGS : [...SETTINGS, ...FORGETFUL];
    this.#folder = mkdtempSync(join(tmpdir(), 'replay-harness-postgres-'));
    this.#data = join(this.#folder, 'data');
    const id = USER === undefined ? undefined : Number(run('id', ['-u', USER], { cwd: '/' }));
    if (id !== undefined) chownSync(this.#folder, id, Number(run('id', ['-g', USER as string], { cwd: '/' })));
    this.#run('initdb', ['-D', this.#data, '-U', 'postgres', '--encoding=UTF8', '--locale=C', '--auth=trust', '--no-sync', '--no-instructions']);
    for (const name of ['certificate.pem', 'key.pem']) {
      copyFileSync(join(TLS, name), join(this.#data, name));
      chmodSync(join(this.#data, name), 0o600);
      if (id !== undefined) chownSync(join(this.#data, name), id, -1);
    }
    writeFileSync(join(this.#data, 'pg_hba.conf'), ACCESS);
  }

  get port(): number {
    return this.#port;
  }

  /** Connections that reached it since its start, but for those of {@link sql}. */
  async connections(): Promise<number> {
    const mark = `counted ${++this.#counts} times`;
    this.sql(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`);
    // What came before is in the log before.
    while (!this.#daemon?.log().includes(mark)) await new Promise((resolve) => setTimeout(resolve, 2));
    return this.#daemon.log().match(/connection received: host=127/g)?.length ?? 0;
  }

  /** On a free port the first time, later on the same one. */
  async start(): Promise<void> {
    if (this.#daemon) return;
    this.#port ||= await freePort();
    const settings = [...this.#settings, `port=${this.#port}`, `unix_socket_directories=${this.#folder}`].flatMap((setting) => ['-c', setting]);
    this.#daemon = await startDaemon({ program: PROGRAM as string, args: ['-D', this.#data, ...settings], cwd: this.#folder, user: USER, orphaned: 'QUIT', ready: /database system is ready to accept connections/ });
    if (this.#databases === 0) this.sql(`CREATE ROLE agent LOGIN PASSWORD '${PASSWORD}'`);
  }

  /** The user that the server runs as; undefined: this one. */
  get user(): string | undefined {
    return USER;
  }

  /** Idempotent. @param signal `SIGQUIT`: at once, as if it had lost its power */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    await this.#daemon?.stop(signal);
    this.#daemon = undefined;
  }

  provesStopped(): Promise<void> {
    return provesRefused('PostgreSQL', this.#port);
  }

  /** A new, empty database. @returns what an agent is told: standard variables, which `pg` reads, and an URL, which others do */
  createDatabase(): { readonly database: string; readonly env: Record<string, string> } {
    const database = `agent_${++this.#databases}`;
    this.sql(`CREATE DATABASE ${database} OWNER agent`);
    return {
      database,
      env: {
        PGHOST: '127.0.0.1', PGPORT: String(this.#port), PGUSER: 'agent', PGPASSWORD: PASSWORD, PGDATABASE: database,
        DATABASE_URL: `postgres://agent:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.#port}/${database}`,
      },
    };
  }

  /** A new database for a store: pgvector is there, and its login may create roles. @returns the store's URL, and its parts */
  createStore(): { readonly database: string; readonly url: string; loginUrl(role: string): string } {
    requirePgvector();
    const database = `store_${++this.#databases}`;
    this.sql(`DO $$ BEGIN CREATE ROLE keeper LOGIN CREATEROLE PASSWORD '${PASSWORD}'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
    this.sql(`CREATE DATABASE ${database} OWNER keeper`);
    this.sql('CREATE EXTENSION vector', database);
    const urlOf = (login: string): string => `postgres://${login}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.#port}/${database}`;
    return {
      database,
      url: urlOf('keeper'),
      /** Makes a login that has the rights of one role, or of several. */
      loginUrl: (roles) => {
        const login = `login_${++this.#logins}`;
        this.sql(`CREATE ROLE ${login} LOGIN PASSWORD '${PASSWORD}' IN ROLE ${roles}`);
        return urlOf(login);
      },
    };
  }

  /** Runs SQL as the superuser, through the server's own socket. @returns rows as lines, columns separated by `|` */
  sql(sql: string, database = 'postgres'): string {
    return this.#run('psql', ['-h', this.#folder, '-p', String(this.#port), '-U', 'postgres', '-d', database, '-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-c', sql]).trim();
  }

  /** Everything in a database, as `pg_dump` writes it. */
  dump(database: string): string {
    return this.#run('pg_dump', ['-h', this.#folder, '-p', String(this.#port), '-U', 'postgres', database]);
  }

  async remove(): Promise<void> {
    await this.#daemon?.stop('SIGQUIT');
    this.#daemon = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(program: string, args: readonly string[]): string {
    return run(join(dirname(PROGRAM as string), program), args, { cwd: this.#folder, user: USER });
  }
}
