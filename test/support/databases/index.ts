/** The database servers of this test process: each is started when it is first asked for. */
import { Postgres } from './postgres.ts';
import { Redis } from './redis.ts';

const INSTALLED: Readonly<Record<DatabaseName, boolean>> = { postgres: Postgres.installed, redis: Redis.installed, pgvector: Postgres.installed && Postgres.hasPgvector };
/** `pgvector`: PostgreSQL with that extension. */
export type DatabaseName = 'postgres' | 'redis' | 'pgvector';

const PACKAGES_TO_INSTALL = 'install Debian’s packages postgresql and redis-server, and run scripts/install-pgvector.sh';
const running: { postgres?: Postgres; durable?: Postgres; redis?: Redis } = {};

export async function postgres(): Promise<Postgres> {
  mustBeInstalled('postgres');
  running.postgres ??= new Postgres();
  await running.postgres.start();
  return running.postgres;
}

/** Another one, which keeps what is committed, as servers do that are not for tests. */
export async function durablePostgres(): Promise<Postgres> {
  mustBeInstalled('postgres');
  running.durable ??= new Postgres({ durable: true });
  await running.durable.start();
  return running.durable;
}

export async function redis(): Promise<Redis> {
  mustBeInstalled('redis');
  running.redis ??= new Redis();
  await running.redis.start();
  return running.redis;
}

function mustBeInstalled(name: DatabaseName): void {
  if (!INSTALLED[name]) throw new Error(`${name} is not installed on this machine; ${PACKAGES_TO_INSTALL}.`);
}

/** Nothing of them is left. */
export async function removeDatabases(): Promise<void> {
  const servers = Object.values(running);
  delete running.postgres;
  delete running.durable;
  delete running.redis;
  await Promise.all(servers.map((server) => server.remove()));
}

/** Those of the named servers that this machine does not have. TEST_SERVERS=required: it has to. */
export function missingServers(needs: readonly DatabaseName[] = []): DatabaseName[] {
  return process.env['TEST_SERVERS'] === 'required' ? [] : needs.filter((name) => !INSTALLED[name]);
}

/** Tells that a test is left out, by name. */
export function tellSkipped(test: string, missing: readonly DatabaseName[]): void {
  console.error(`SKIPPED, no ${missing.join(' and no ')} on this machine (${PACKAGES_TO_INSTALL}): ${test}`);
}

/** What an agent is told about the servers that it needs, and what the driver does with them between recording and replay. */
export interface AgentDatabases {
  readonly env: Readonly<Record<string, string>>;
  start(): Promise<void>;
  stop(): Promise<void>;
  provesStopped(): Promise<void>;
  /** Connections that reached them since their last start. */
  hits(): Promise<number>;
}

/** A new database in each; starts what is not running. */
export async function databasesFor(needs: readonly DatabaseName[] = []): Promise<AgentDatabases> {
  const servers = await Promise.all(needs.map((name) => (name === 'redis' ? redis() : postgres())));
  const env = Object.assign({}, ...servers.map((server) => (server instanceof Postgres ? server.createDatabase().env : server.env))) as Record<string, string>;
  const each = async (act: (server: Postgres | Redis) => Promise<void>): Promise<void> => void (await Promise.all(servers.map(act)));
  return {
    env,
    start: () => each((server) => server.start()),
    stop: () => each((server) => server.stop()),
    provesStopped: () => each((server) => server.provesStopped()),
    hits: async () => (await Promise.all(servers.map((server) => server.connections()))).reduce((sum, count) => sum + count, 0),
  };
}
