/** node:sqlite beyond what the catalogue holds: what is refused, and what a file's replay must not do. */
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const AGENT = 'runtime/sqlite-refused.mjs';

const REFUSED = [
  ['function', 'node:sqlite (function on a database file)'],
  ['session', 'node:sqlite (createSession on a database file)'],
  ['backup', 'node:sqlite (backup)'],
  ['attach', 'node:sqlite (a file, from a database in memory)'],
  ['vacuum', 'node:sqlite (a file, from a database in memory)'],
  ['extension', 'node:sqlite (enableLoadExtension)'],
  ['aggregate', 'node:sqlite (aggregate on a database file)'],
] as const;

describe.runIf(NODE_MAJOR >= 22)('node:sqlite', () => {
  it.each(REFUSED)('%s: named when recorded, refused by name in replay', async (what, name) => {
    const workspace = testWorkspace();
    const recorded = await workspace.record(AGENT, { args: [what], nodeArgs: ['--no-warnings'] });
    expect(recorded).toMatchObject({ exitCode: 0, ownStderr: expect.stringContaining(`not captured: ${name}`) });
    for (const file of ['touched', 'made.db']) rmSync(workspace.path(file), { force: true });
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'blocked', liveCalls: 0, blocked: [name] } });
    expect(replayed.stdout.toString()).toBe('before\n');
    expect(existsSync(workspace.path('touched'))).toBe(false);
    expect(existsSync(workspace.path('made.db'))).toBe(false);
  });

  it('a replay neither makes, changes nor reads the file', async () => {
    const workspace = testWorkspace();
    const program = workspace.write('program.mjs', `
      import { DatabaseSync } from 'node:sqlite';
      const database = new DatabaseSync('notes.db');
      database.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
      database.prepare('INSERT INTO notes VALUES (?)').run('once');
      console.log(database.prepare('SELECT * FROM notes').all());
    `);
    const options = { nodeArgs: ['--no-warnings'] };
    const recorded = await workspace.record(program, options);
    expect(recorded.stdout.toString()).toContain("text: 'once'");
    const content = readFileSync(workspace.path('notes.db'));
    expect((await workspace.replay()).report).toMatchObject({ verdict: 'identical' });
    expect(readFileSync(workspace.path('notes.db'))).toEqual(content);
    workspace.write('notes.db', 'no database at all');
    chmodSync(workspace.path('notes.db'), 0);
    expect((await workspace.replay()).report).toMatchObject({ verdict: 'identical' });
    rmSync(workspace.path('notes.db'));
    expect((await workspace.replay()).report).toMatchObject({ verdict: 'identical' });
    expect(existsSync(workspace.path('notes.db'))).toBe(false);
  });

  it('another statement, or other values, are a divergence that names them', async () => {
    const workspace = testWorkspace();
    const text = (value: string): string => `
      import { DatabaseSync } from 'node:sqlite';
      const database = new DatabaseSync('notes.db');
      database.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT)');
      try { database.prepare('INSERT INTO notes VALUES (?)').run('${value}'); } catch {}
      console.log('written');
    `;
    const program = workspace.write('program.mjs', text('as recorded'));
    await workspace.record(program, { nodeArgs: ['--no-warnings'] });
    workspace.write('program.mjs', text('as changed'));
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'diverged', liveCalls: 0 } });
    expect(replayed.report?.expected).toContain('as recorded');
    expect(replayed.report?.actual).toContain('as changed');
    expect(replayed.stdout.toString()).toBe('');
  });
});
