import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { postgres } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { PACKAGES } from '../support/paths.ts';
import type { Workspace } from '../support/workspace.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

const AGENT = join(PACKAGES, 'agents/s22-side-effects.mjs');
const FILES = ['out.log', 'audit.log', 'tmp.txt'];

itNeeds(['postgres'], 'S22 no side effect happens again on replay', { timeout: 400_000 }, async () => {
  const server = await postgres();
  const { database, env } = server.createDatabase();
  server.sql('CREATE TABLE tickets (id int GENERATED ALWAYS AS IDENTITY, title text, made timestamptz DEFAULT clock_timestamp()); GRANT ALL ON tickets TO agent', database);
  const untouched = (workspace: Workspace): void => {
    for (const file of FILES) rmSync(workspace.path(file), { force: true });
    workspace.write('tmp.txt', 'to be removed');
  };
  const undo = (workspace: Workspace): void => {
    untouched(workspace);
    server.sql('TRUNCATE tickets RESTART IDENTITY', database);
  };
  const { workspace, server: world, requests, recorded, replay } = await holdsBaseRule(AGENT, (stdout) => withoutChance(stdout).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT'), { needs: ['postgres'], env, prepare: untouched, undo });

  const counts = (): object => ({
    tickets: server.sql('SELECT count(*) FROM tickets', database),
    out: readFileSync(workspace.path('out.log'), 'utf8').split('\n').length - 1,
    audit: readFileSync(workspace.path('audit.log'), 'utf8').split('\n').length - 1,
    removed: !existsSync(workspace.path('tmp.txt')),
  });
  expect(requests).toEqual(['POST /send-mail']);
  expect(recorded.stdout.toString()).toMatch(/\nrefunded at 20\d\d-[^\n]*\n\n$/);
  // The base rule has replayed twice: once with everything gone, once with everything up.
  expect(counts()).toEqual({ tickets: '1', out: 1, audit: 1, removed: true });
  expect(world.requests).toEqual([]);

  // What is to be removed is there again, and what was written is not: neither is touched or made.
  untouched(workspace);
  rmSync(workspace.path('tmp.txt'));
  await replay();
  expect(FILES.filter((file) => existsSync(workspace.path(file)))).toEqual([]);
  untouched(workspace);
  await replay();
  expect(FILES.filter((file) => existsSync(workspace.path(file)))).toEqual(['tmp.txt']);
  expect(server.sql('SELECT count(*) FROM tickets', database)).toBe('1');

  // From another folder, where there is nothing at all.
  const elsewhere = workspace.path('elsewhere');
  mkdirSync(elsewhere);
  const replayed = await workspace.replay('latest', { cwd: elsewhere, args: ['--store', workspace.store] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  expect(FILES.filter((file) => existsSync(join(elsewhere, file)))).toEqual([]);
});
