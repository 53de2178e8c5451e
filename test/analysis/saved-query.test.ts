/** Questions kept as SQL, and those that are shipped. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { parseQuery, runQuery } from '../../src/analysis/saved-query.ts';
import { onBothEngines } from '../store/sql/support/engines.ts';
import { ROOT } from '../support/paths.ts';
import { http, llm, type SeededRun, seedSteps } from './support/seed-steps.ts';

const FOLDER = join(ROOT, 'queries');
const shipped = (name: string) => parseQuery(name, readFileSync(join(FOLDER, `${name}.sql`), 'utf8'));

test('parameters are described, and sent beside the SQL', () => {
  const query = parseQuery('q', "-- Counts.\n-- Twice.\n-- :n  how many (default 3)\n-- :tool  its name\nSELECT ':no', \":no\", $$ :no $$, 1::int, :n::int /* :no */ -- :no\nWHERE x = :tool AND y = :n;\n");
  expect(query).toEqual({
    name: 'q', description: 'Counts. Twice.', parameters: [{ name: 'n', description: 'how many', preset: '3' }, { name: 'tool', description: 'its name', preset: undefined }],
    sql: "-- Counts.\n-- Twice.\n-- :n  how many (default 3)\n-- :tool  its name\nSELECT ':no', \":no\", $$ :no $$, 1::int, $1::text::int /* :no */ -- :no\nWHERE x = $2::text AND y = $1::text",
  });
  expect(() => parseQuery('q', 'SELECT :x')).toThrow(/uses :x, which its comments do not describe/);
  expect(() => parseQuery('q', '-- :x  it\nSELECT 1')).toThrow(/describes :x, and does not use it/);
});

const GB = 'http://register.test/compliance/jurisdictions?code=GB-SCT';
const NOTHING = { entries: [] };

/** Runs that the question is about, each in another way. */
const AFFECTED: readonly SeededRun[] = [
  { steps: [http(GB, NOTHING)] },
  { days: 29, steps: [http(GB, NOTHING)] },
  { steps: [http('http://register.test/compliance/jurisdictions?lang=en&code=GB-WLS', [])] },
  { steps: [http(GB, null)] },
  { steps: [http(GB, {})] },
  { steps: [http(GB, { entries: [], note: 'nothing [yet]', more: { others: [] } })] },
  { steps: [http('http://register.test/compliance/jurisdictions?code=FR', [{ risk: 'low' }]), http(GB, NOTHING), http(GB, NOTHING)] },
  { agent: 'other agent', workflow: 'elsewhere', steps: [http(GB, NOTHING)] },
];
/** Runs that look like them. */
const ALIKE: readonly SeededRun[] = [
  { days: 31, steps: [http(GB, NOTHING)] },
  { steps: [http(GB, { entries: [{ code: 'GB-SCT' }] })] },
  { steps: [http('http://register.test/compliance/jurisdictions?code=GB', NOTHING)] },
  { steps: [http('http://register.test/compliance/jurisdictions?code=EGB-SCT', NOTHING)] },
  { steps: [http('http://register.test/compliance/jurisdictions?code=gb-sct', NOTHING)] },
  { steps: [http('http://register.test/parties?code=GB-SCT', NOTHING)] },
  { steps: [http(GB, { entries: [], others: [1] }), http('http://register.test/compliance/jurisdictions?code=FR', NOTHING)] },
  { steps: [llm('Look at compliance/jurisdictions?code=GB-SCT', 'It answered {"entries":[]}')] },
  { steps: [{ ...http(GB, NOTHING), kind: 'message' }] },
  { steps: [{ ...http(GB, NOTHING), output: null, error: { code: 'ECONNREFUSED', message: 'refused' } }] },
];
const call = (result: unknown, more: object = {}) => llm('check', 'calls a tool', [{ id: 'c', name: 'check_jurisdiction', args: { party: 'Meyer', jurisdiction: 'GB-SCT' }, result, error: null, answeredAt: 20, servedBy: [], ...more }]);
const mcp = (tool: string, args: unknown, result: unknown): SeededRun['steps'][number] => ({ boundary: 'child_process', name: tool, input: { tool, args, server: 'register' }, output: { result } });
const AFFECTED_BY_NAME: readonly SeededRun[] = [
  { steps: [call('')] },
  { steps: [call('{"entries": []}')] },
  { steps: [call({ entries: [] })] },
  // What the program told the model hides that there was nothing.
  { steps: [call('low risk', { servedBy: [20] }), http('http://register.test/x', NOTHING)] },
  { steps: [mcp('check_jurisdiction', { jurisdiction: 'GB-NIR' }, { content: [{ type: 'text', text: '[]' }] })] },
  { steps: [mcp('check_jurisdiction', { jurisdiction: 'GB-NIR' }, { content: [], structuredContent: { entries: [] } })] },
];
const ALIKE_BY_NAME: readonly SeededRun[] = [
  { steps: [call('low risk')] },
  { steps: [call(null, { error: { code: 'TOOL_ERROR', message: 'no' } })] },
  { steps: [call(null, { answeredAt: null })] },
  { steps: [call('', { name: 'check_jurisdictions' })] },
  { steps: [call('', { args: { jurisdiction: 'GB' } })] },
  { steps: [call('low risk', { servedBy: [20] }), http('http://register.test/x', [1])] },
  { steps: [call('low risk', { servedBy: [30] }), http('http://register.test/x', NOTHING), http('http://register.test/x', [1])] },
  { steps: [mcp('other_tool', { jurisdiction: 'GB-NIR' }, { content: [] })] },
  { steps: [mcp('check_jurisdiction', { jurisdiction: 'FR' }, { content: [] })] },
  { steps: [mcp('check_jurisdiction', { jurisdiction: 'GB-NIR' }, { content: [{ type: 'text', text: '[1]' }] })] },
];

onBothEngines('saved queries', (engine) => {
  it('which runs of the last 30 days saw a tool answer with nothing for a GB- code', async () => {
    const { owner } = engine();
    const seed = async (all: readonly SeededRun[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const run of all) ids.push(await seedSteps(owner, run));
      return ids;
    };
    const affected = await seed(AFFECTED);
    const byName = await seed(AFFECTED_BY_NAME);
    await seed([...ALIKE, ...ALIKE_BY_NAME]);
    const ask = async (given: Record<string, string>): Promise<string[]> => (await runQuery(owner, shipped('empty-answers'), given)).map((row) => row['run'] as string).sort();
    expect(await ask({ tool: 'compliance/jurisdictions', value: 'GB-%' })).toEqual([...affected].sort());
    expect(await ask({ tool: 'check_jurisdiction', value: 'GB-%' })).toEqual([...byName].sort());
    expect(await ask({ tool: 'check_jurisdiction', value: 'GB-%', argument: 'party' })).toEqual([]);
    expect((await ask({ tool: 'compliance/jurisdictions', value: 'GB-%', days: '28' })).length).toBe(affected.length - 1);
    const [newest] = await runQuery(owner, shipped('empty-answers'), { tool: 'compliance/jurisdictions', value: 'GB-%' });
    expect(newest).toMatchObject({ run: affected.at(-1), agent: 'other agent', workflow: 'elsewhere', step: 10, answers: 1, arguments: { code: 'GB-SCT' } });
  });

  it('every shipped one is described, and can be asked', async () => {
    const names = readdirSync(FOLDER).map((file) => file.replace(/\.sql$/, ''));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      const query = shipped(name);
      expect(query.description).not.toBe('');
      const given = Object.fromEntries(query.parameters.filter(({ preset }) => preset === undefined).map((parameter) => [parameter.name, 'x']));
      expect(Array.isArray(await runQuery(engine().owner, query, given)), name).toBe(true);
    }
    expect((await runQuery(engine().owner, shipped('failed-steps'), {}))[0]).toMatchObject({ name: 'GET /compliance/jurisdictions', code: 'ECONNREFUSED', times: 1, runs: 1 });
  });

  it('reads only, and says what is wrong with what it is given', async () => {
    const { owner } = engine();
    const ask = (sql: string, given: Record<string, string> = {}): Promise<unknown> => runQuery(owner, parseQuery('mine', sql), given);
    await expect(ask("INSERT INTO replay_harness.workflow_permissions (workflow, member) VALUES ('a', 'b')")).rejects.toThrow(/"mine" failed: cannot execute INSERT in a read-only transaction/);
    await expect(ask('SELECT x FROM nothing')).rejects.toThrow(/"mine" failed: relation "nothing" does not exist/);
    await expect(ask('-- :n  a number\nSELECT :n::int')).rejects.toThrow(/needs --param n=…. Its parameters: n \(a number\)/);
    await expect(ask('-- :n  a number\nSELECT :n::int', { n: 'many' })).rejects.toThrow(/invalid input syntax for type integer/);
    await expect(ask('SELECT 1', { n: '1' })).rejects.toThrow(/has no parameter n. It takes no parameters/);
    expect(await ask("-- :n  a text\nSELECT :n AS n", { n: "'; DROP TABLE x --" })).toEqual([{ n: "'; DROP TABLE x --" }]);
  });
});
