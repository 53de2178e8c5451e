/** What is made of the bytes that real drivers and a real PostgreSQL exchange. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'vitest';
import { renderTrajectory } from '../../src/cli/render/trajectory.ts';
import type { LaneEvent } from '../../src/model/event.ts';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { postgres } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { canBeRead, damage, generator } from './support/damage.ts';
import { driver, type Untyped } from './support/drivers.ts';
import { everyByte, recordTraffic, recut, Tape, until } from './support/traffic.ts';

const RUN = { id: 'r', agent: 'a', command: 'node a.js', status: 'complete', exitCode: 0, node: 'v20.20.2', startedAt: '', durationMs: 1 };

/** Lets a program speak to a new database of the server, and writes down what it said. */
async function traffic(program: (connection: Record<string, unknown>, url: string, tape: Tape) => Promise<void>): Promise<Tape> {
  const server = await postgres();
  const { env } = server.createDatabase();
  await using recorded = await recordTraffic(server.port, new Tape());
  const { PGUSER: user, PGPASSWORD: password, PGDATABASE: database } = env;
  await program({ host: '127.0.0.1', port: recorded.port, user, password, database }, (env['DATABASE_URL'] as string).replace(String(server.port), String(recorded.port)), recorded.tape);
  await until(() => recorded.tape.events.filter(isOpening).length === recorded.tape.events.filter(isClosing).length);
  return recorded.tape;
}

const isOpening = (event: LaneEvent): boolean => event.type === 'start';
const isClosing = (event: LaneEvent): boolean => event.type === 'delivery' && event.kind === 'closed';

async function withClient(program: (client: Untyped) => Promise<void>): Promise<Tape> {
  return traffic(async (connection) => {
    const client = new (driver('pg').Client)({ ...connection, application_name: 'steps' });
    client.on('error', () => {});
    await client.connect();
    await program(client);
    await client.end();
  });
}

/** Of statements: what was asked and what came, without what only numbers it. */
function statements(events: readonly LaneEvent[]): Pick<Step, 'kind' | 'name' | 'input' | 'output' | 'error'>[] {
  return interpret(events).filter((step) => 'sql' in Object(step.input)).map(({ kind, name, input, output, error }) => ({ kind, name, input, output, error }));
}

const EVERYTHING = async (client: Untyped): Promise<void> => {
  await client.query('CREATE TABLE items (id int PRIMARY KEY, name text NOT NULL)');
  for (const id of [1, 2, 3]) await client.query('INSERT INTO items VALUES ($1, $2)', [id, `name ${id}`]);
  await client.query({ name: 'all', text: 'SELECT * FROM items ORDER BY id' });
  await client.query({ name: 'all', text: 'SELECT * FROM items ORDER BY id' });
  await client.query('SELECT 1 AS a; SELECT 2 AS b, 3 AS c; DELETE FROM items WHERE id = 3');
  await client.query('INSERT INTO items VALUES (1, $1)', ['again']).catch(() => {});
  await client.query('SELECT nothing').catch(() => {});
  await client.query("DO $$ BEGIN RAISE NOTICE 'so far'; END $$");
  const cursor = client.query(new (driver('pg-cursor'))('SELECT n FROM generate_series(1, 7) AS n'));
  while ((await cursor.read(3)).length > 0);
  await pipeline(Readable.from(['7\tseven\n8\teight\n']), client.query(driver('pg-copy-streams').from('COPY items FROM STDIN')));
  await client.query(driver('pg-copy-streams').to('COPY items TO STDOUT')).resume().toArray();
  await client.query('LISTEN news');
  const came = once(client, 'notification');
  await client.query("NOTIFY news, 'hello ü'");
  await came;
};

itNeeds(['postgres'], 'statements with parameters, rows and counts, in both protocols', {}, async () => {
  const { events } = await withClient(EVERYTHING);
  const steps = interpret(events);
  expect(steps[0]).toMatchObject({ kind: 'state', boundary: 'socket', input: { protocol: 'postgres', user: 'agent', application: 'steps' }, output: { authentication: 'scram-sha-256', encrypted: false, server: expect.stringMatching(/^\d+\.\d+/) as string }, error: null });
  const insert = (id: number) => ({ kind: 'tool', input: { sql: 'INSERT INTO items VALUES ($1, $2)', params: [String(id), `name ${id}`] }, output: { rows: [], rowCount: 1, command: 'INSERT' }, error: null });
  const all = { input: { sql: 'SELECT * FROM items ORDER BY id', params: [], prepared: 'all' }, output: { rows: [1, 2, 3].map((id) => ({ id, name: `name ${id}` })), rowCount: 3, command: 'SELECT' } };
  const [duplicate, nothing] = [
    { code: '23505', message: 'duplicate key value violates unique constraint "items_pkey"', severity: 'ERROR', detail: 'Key (id)=(1) already exists.', schema: 'public', table: 'items', constraint: 'items_pkey' },
    { code: '42703', message: 'column "nothing" does not exist', position: '8' },
  ];
  expect(statements(events)).toMatchObject([
    { output: { rows: [], rowCount: null, command: 'CREATE TABLE' } },
    insert(1), insert(2), insert(3), all, all,
    { output: { results: [{ rows: [{ a: 1 }], rowCount: 1, command: 'SELECT' }, { rows: [{ b: 2, c: 3 }] }, { rows: [], rowCount: 1, command: 'DELETE' }] } },
    { input: { params: ['again'] }, output: null, error: duplicate },
    { input: { sql: 'SELECT nothing' }, output: null, error: nothing },
    { output: { command: 'DO', notices: [{ severity: 'NOTICE', message: 'so far' }] } },
    { input: { sql: 'SELECT n FROM generate_series(1, 7) AS n' }, output: { rows: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ n })), rowCount: 7 } },
    { output: { command: 'COPY', rowCount: 2, copied: { direction: 'in', bytes: 16 } } },
    { output: { command: 'COPY', rowCount: 4, copied: { direction: 'out', messages: 4 } } },
    { output: { command: 'LISTEN' } },
    { output: { command: 'NOTIFY' } },
  ]);
  expect(steps.find(({ kind }) => kind === 'message')).toMatchObject({ name: 'postgres notification news', input: null, output: { channel: 'news', payload: 'hello ü' } });
  expect(steps.every(({ ended }) => ended !== null)).toBe(true);
});

itNeeds(['postgres'], 'values of common types, others as text', {}, async () => {
  const { events } = await withClient(async (client) => {
    await client.query(`SELECT 7::int2 AS small, 9007199254740993::int8 AS big, 5::int8 AS long, 1.50::numeric AS exact, 1.5::float8 AS float, 'NaN'::float8 AS nan, true AS yes, NULL::int AS nothing, '{"a":[1]}'::jsonb AS doc,
      '\\x00ff'::bytea AS bytes, ARRAY['a','b "c"',NULL,'NULL']::text[] AS texts, ARRAY[[1,2],[3,4]] AS grid, '[0:1]={5,6}'::int[] AS shifted, '2026-02-28'::date AS day, interval '2 days' AS span, point(1,2) AS spot, 'ü' AS text`);
    await client.query('SELECT 1 AS a, 2 AS a');
    await client.query({ text: "SELECT $1::int4 AS int, $2::float8 AS float, 'ü'::text AS text, true AS yes, '00000000-0000-4000-8000-000000000001'::uuid AS id, '2026-02-28T01:02:03.5Z'::timestamptz AS at, 5::int8 AS long, '{\"a\":1}'::jsonb AS doc, '2026-02-28'::date AS day", values: [7, 1.5], binary: true });
    await client.query('SELECT $1::bytea AS bytes', [Buffer.from([0, 1])]);
    await client.query('');
  });
  expect(statements(events).map(({ output }) => output)).toMatchObject([
    {
      rows: [{
        small: 7, big: '9007199254740993', long: 5, exact: '1.50', float: 1.5, nan: 'NaN', yes: true, nothing: null, doc: { a: [1] },
        bytes: { base64: 'AP8=', bytes: 2 }, texts: ['a', 'b "c"', null, 'NULL'], grid: [[1, 2], [3, 4]], shifted: [5, 6], day: '2026-02-28', span: '2 days', spot: '(1,2)', text: 'ü',
      }],
    },
    { columns: ['a', 'a'], rows: [[1, 2]] },
    { rows: [{ int: 7, float: 1.5, text: 'ü', yes: true, id: '00000000-0000-4000-8000-000000000001', at: '2026-02-28T01:02:03.500Z', long: 5, doc: { a: 1 }, day: '2026-02-28' }] },
    { rows: [{ bytes: { base64: 'AAE=', bytes: 2 } }] },
    { rows: [], rowCount: null, command: null },
  ]);
});

itNeeds(['postgres'], 'nothing of a password is shown, neither of the login nor in a statement', {}, async () => {
  const tape = await withClient(async (client) => {
    for (const sql of ["CREATE ROLE bob PASSWORD 'new secret'", "CREATE ROLE bob WITH ENCRYPTED PASSWORD E'new secret' LOGIN", 'CREATE ROLE bob PASSWORD $x$new secret$x$']) await client.query(sql).catch(() => {});
  });
  const bytes = Buffer.concat(tape.events.flatMap((event) => ('data' in event ? [event.data] : []))).toString('latin1');
  const shown = JSON.stringify(interpret(tape.events)) + renderTrajectory(RUN, interpret(tape.events), { color: false, verbose: true });
  for (const secret of ['new secret', 'n=*,r=', 'c=biws', 'p=']) {
    expect(bytes).toContain(secret);
    expect(shown).not.toContain(secret);
  }
  expect(shown).toContain("CREATE ROLE bob WITH ENCRYPTED PASSWORD '[masked]' LOGIN");
});

itNeeds(['postgres'], 'statements sent together keep their own answers; after an error the rest of a batch is said to have been left out', {}, async () => {
  const { events } = await traffic(async (_, url) => {
    const sql = driver('postgres')(url, { max: 1, onnotice: () => {} });
    await Promise.allSettled([sql`SELECT ${1}::int AS n`, sql`SELECT 1 / ${0}::int AS n`, sql`SELECT ${3}::int AS n`, sql`SELECT nowhere`]);
    await sql`SELECT ${4}::int AS n`;
    for await (const _rows of sql`SELECT n FROM generate_series(1, 5) AS n`.cursor(2));
    await sql.end();
  });
  const mine = statements(events).filter(({ name }) => !/pg_catalog|pg_type/.test(name));
  expect(mine.map(({ output, error }) => error?.code ?? (output as { rows: unknown }).rows)).toEqual([[{ n: 1 }], '22012', [{ n: 3 }], '42703', [{ n: 4 }], [1, 2, 3, 4, 5].map((n) => ({ n }))]);
});

itNeeds(['postgres'], 'connections that end badly', {}, async () => {
  const server = await postgres();
  const { events } = await traffic(async (connection, _, tape) => {
    const { Client } = driver('pg');
    await new Client({ ...connection, password: 'wrong' }).connect().catch(() => {});
    const client = new Client(connection);
    client.on('error', () => {});
    await client.connect();
    const { rows: [{ pid }] } = await client.query('SELECT pg_backend_pid() AS pid');
    const asked = client.query('SELECT pg_sleep(60)');
    setTimeout(() => server.sql(`SELECT pg_terminate_backend(${pid})`), 20);
    await asked.catch(() => {});
    const idle = new Client(connection);
    idle.on('error', () => {});
    await idle.connect();
    const { rows: [other] } = await idle.query('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => idle.once('end', resolve));
    server.sql(`SELECT pg_terminate_backend(${other.pid})`);
    await ended;
    const leaver = new Client(connection);
    leaver.on('error', () => {});
    await leaver.connect();
    leaver.query('SELECT pg_sleep(61)').catch(() => {});
    await until(() => tape.events.some((event) => event.type === 'output' && event.data.includes('pg_sleep(61)')));
    leaver.connection.stream.destroy();
  });
  const steps = interpret(events);
  const of = (text: string): Step | undefined => steps.find(({ name }) => name.includes(text));
  expect(steps.find(({ kind, error }) => kind === 'state' && error)).toMatchObject({ error: { code: '28P01', severity: 'FATAL' }, output: null });
  expect(of('pg_sleep(60)')).toMatchObject({ error: { code: '57P01', severity: 'FATAL' } });
  expect(steps.find(({ kind }) => kind === 'message')).toMatchObject({ name: 'postgres 57P01', error: { code: '57P01' } });
  expect(of('pg_sleep(61)')).toMatchObject({ error: { code: 'ABORTED' }, output: null });
});

itNeeds(['postgres'], 'a large result is counted, and its beginning shown', {}, async () => {
  const { events } = await withClient(async (client) => {
    await client.query("SELECT n, repeat('x', 100) AS text FROM generate_series(1, 20000) AS n");
    await client.query("SELECT repeat('y', 3000000) AS text FROM generate_series(1, 3)");
  });
  const [many, large] = statements(events).map(({ output }) => output as { rows: unknown[]; rowCount: number; rowsNotShown: number });
  expect({ ...many, rows: many?.rows.length }).toEqual({ rows: 1000, rowCount: 20_000, command: 'SELECT', rowsNotShown: 19_000 });
  expect({ ...large, rows: large?.rows.length }).toEqual({ rows: 1, rowCount: 3, command: 'SELECT', rowsNotShown: 2 });
});

itNeeds(['postgres'], 'the same steps, wherever the pieces are cut', {}, async () => {
  const { events } = await withClient(EVERYTHING);
  expect(statements(recut(events, everyByte))).toEqual(statements(events));
  const below = generator(7);
  for (let round = 0; round < 20; round++) {
    const cuts = (bytes: Buffer): number[] => {
      const lengths = [];
      for (let left = bytes.length; left > 0; left -= lengths.at(-1) as number) lengths.push(Math.min(left, 1 + below(40)));
      return lengths;
    };
    expect(statements(recut(events, cuts))).toEqual(statements(events));
  }
});

itNeeds(['postgres'], 'whatever becomes of the bytes, steps can be read', {}, async () => {
  const { events } = await withClient(EVERYTHING);
  for (let length = 0; length < events.length; length += 3) canBeRead(events.slice(0, length));
  for (let seed = 0; seed < 200; seed++) canBeRead(damage(events, generator(seed)));
  const at = events.findIndex((event) => event.type === 'output' && event.data.includes('INSERT'));
  expect(interpret(events.slice(0, at + 1)).at(-1)).toMatchObject({ error: { code: 'UNANSWERED', message: 'the recording ends before an answer' }, ended: null, latencyMs: null });
});

itNeeds(['postgres'], 'in a trajectory a statement is one line', {}, async () => {
  const { events } = await withClient(async (client) => {
    await client.query('CREATE TABLE items\n  (id int PRIMARY KEY)');
    await client.query('INSERT INTO items SELECT generate_series(1, $1)', [30]);
    await client.query(`SELECT id FROM items WHERE id < $1 AND id::text <> 'a text that is so long that it does not fit on the line' ORDER BY id`, [12]);
    await client.query('SELECT 1/0').catch(() => {});
  });
  const lines = renderTrajectory(RUN, interpret(events), { color: false }).split('\n').flatMap((line) => / (?:sql|socket) +(.*)$/.exec(line)?.[1] ?? []);
  expect(lines).toEqual([
    expect.stringMatching(/^postgres agent@127\.0\.0\.1:\d+\/agent_\d+ → server \d+\.\d+.*, scram-sha-256$/) as string,
    'CREATE TABLE items (id int PRIMARY KEY) → CREATE TABLE',
    'INSERT INTO items SELECT generate_series(1, $1) ["30"] → INSERT 30',
    "SELECT id FROM items WHERE id < $1 AND id::text <> 'a text that is so long that … [\"12\"] → 11 rows",
    'SELECT 1/0 → 22012 division by zero',
  ]);
});
