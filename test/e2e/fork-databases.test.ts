/** Sessions of PostgreSQL in forks: refused, or where --live names them logged in anew with this machine's own password. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { postgres } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { type Forked, forkRun, type Step, stepsOf } from '../support/forks.ts';
import { PACKAGES } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

itNeeds(['postgres'], 'a session goes on where it is named, with what it had prepared; one that holds more than that does not', {}, async () => {
  const server = await postgres();
  const { database, env } = server.createDatabase();
  server.sql('CREATE TABLE notes (note text); ALTER TABLE notes OWNER TO agent', database);
  const workspace = testWorkspace();
  const recorded = await workspace.record(join(PACKAGES, 'agents/pg-fork.mjs'), { env });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0 });
  const steps = (await stepsOf(workspace)) as (Step & { readonly input: { readonly sql?: string } | null })[];
  const counts = steps.filter(({ input }) => /count/.test(input?.sql ?? '')).map(({ step }) => step);
  const [run] = workspace.runs() as [string];
  server.sql("ALTER ROLE agent PASSWORD 'of this machine alone'");
  const here = { PGPASSWORD: 'of this machine alone', DATABASE_URL: (env['DATABASE_URL'] as string).replace(/:[^:@/]*@/, ':of%20this%20machine%20alone@') };
  const named = `postgres://127.0.0.1:${server.port}`;
  const forkAt = (at: number | undefined, ...live: string[]): Promise<Forked> => forkRun(workspace, [run, '--at', String(at), ...live], here);

  const refused = await forkAt(counts[0]);
  expect(refused, refused.stderr).toMatchObject({ exitCode: 6, report: { verdict: 'blocked', blocked: [expect.stringMatching(new RegExp(`a PostgreSQL session with 127\\.0\\.0\\.1:${server.port}\\. --live ${named} lets it go on, logged in anew`))] } });
  expect(server.sql('SELECT count(*) FROM notes', database)).toBe('1');

  const fork = await forkAt(counts[0], '--live', named);
  // The next that holds more is refused: what it begins with is its own.
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical', liveCalls: expect.any(Number) } });
  expect(fork.stdout.split('\n')).toEqual(['prepared [{"twice":42}]', 'open [{"notes":1}]', 'prepared [{"twice":8}]', 'settings [{"name":"pg-fork"}]', 'pool [{"notes":2}]', 'BEGIN [{"notes":2}]', 'SET [{"notes":2}]', 'LISTEN [{"notes":2}]', '']);
  expect(fork.stderr).toMatch(new RegExp(`  live: ${named} INSERT INTO notes VALUES`));
  const replayed = await workspace.replay(fork.report?.runId);
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(fork.stdout);

  for (const [index, what] of [/with an open transaction/, /with settings of its own \(SET\)/, /with notifications that it waits for \(LISTEN\)/].entries()) {
    const bound = await forkAt(counts[2 + index], '--live', named);
    expect(bound, bound.stderr).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(what)] } });
  }
  const locked = await forkRun(workspace, [run, '--at', String(counts[0]), '--live', named], {});
  expect(locked).toMatchObject({ exitCode: 6, report: { blocked: [expect.stringMatching(/the new login failed: .*The password is that of PGPASSWORD here/)] } });
});
