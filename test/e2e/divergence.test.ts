import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TestServer } from '../support/server.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Replayed, Report, Workspace } from '../support/workspace.ts';

interface Edit {
  readonly what: string;
  readonly from: string | RegExp;
  readonly to: string;
  readonly kind: RegExp;
  /** The first differing field, where the recorded and the present act can be compared field by field. */
  readonly field?: RegExp;
  /** What the report has to quote of the recording, and of now. */
  readonly recorded: RegExp;
  readonly now: RegExp;
  /** A part of the changed program's line that the stack has to name. */
  readonly line: string;
}

const REQUEST = /socket write|http request/;

const EDITS: readonly Edit[] = [
  { what: 'one word of a prompt', from: 'Lisbon', to: 'Porto', kind: REQUEST, field: /^body\.messages\[1\]\.content$/, recorded: /Lisbon/, now: /Porto/, line: 'const plan =' },
  { what: 'one word of a later prompt', from: 'Decide.', to: 'Choose.', kind: REQUEST, field: /^body\.messages\[3\]\.content$/, recorded: /Decide/, now: /Choose/, line: 'const decision =' },
  { what: 'the model', from: "'small'", to: "'large'", kind: REQUEST, field: /^body\.model$/, recorded: /small/, now: /large/, line: 'const plan =' },
  { what: 'a parameter', from: 'temperature: 0', to: 'temperature: 1', kind: REQUEST, field: /^body\.temperature$/, recorded: /0/, now: /1/, line: 'const plan =' },
  { what: 'a header', from: 'assistant/1.0', to: 'assistant/1.1', kind: REQUEST, field: /^headers\.x-client$/, recorded: /1\.0/, now: /1\.1/, line: 'const plan =' },
  { what: 'a URL', from: '?weather=', to: '?forecast=', kind: REQUEST, field: /^url$/, recorded: /weather/, now: /forecast/, line: 'forecast' },
  { what: 'a method', from: 'hotel=${plan.id}`)', to: "hotel=${plan.id}`, { method: 'DELETE' })", kind: REQUEST, field: /^method$/, recorded: /GET/, now: /DELETE/, line: 'DELETE' },
  { what: 'a removed call', from: /const hotel.*\n/, to: 'const hotel = weather;\n', kind: /stdout/, recorded: /hotel=/, now: /stdout: "found/, line: "log('found'" },
  { what: 'an added call inside try and catch', from: 'const hotel', to: 'try { await fetch(`${server}/json?extra`); } catch {}\nconst hotel', kind: REQUEST, field: /^url$/, recorded: /hotel=/, now: /GET \S*\/json\?extra/, line: 'extra' },
  { what: 'an added call after the last one', from: "console.log('decided'", to: "await fetch(`${server}/json?extra`).catch(() => {});\nconsole.log('decided'", kind: REQUEST, recorded: /stdout|draw/, now: /GET \S*\/json\?extra/, line: 'extra' },
  { what: 'an added call at the very end', from: /$/, to: 'await fetch(`${server}/json?extra`).catch(() => {});\n', kind: REQUEST, recorded: /./, now: /GET \S*\/json\?extra/, line: 'extra' },
  { what: 'two dependent calls swapped', from: /(const weather.*\n)(const hotel.*\n)/, to: '$2$1', kind: REQUEST, field: /^url$/, recorded: /weather=/, now: /hotel=/, line: 'const hotel' },
  { what: 'something else printed', from: "'found'", to: "'discovered'", kind: /stdout/, field: /^stdout$/, recorded: /found/, now: /discovered/, line: 'discovered' },
  { what: 'one line more printed', from: "console.log('found'", to: "console.log('thinking');\nconsole.log('found'", kind: /stdout/, field: /^stdout$/, recorded: /found/, now: /thinking/, line: 'thinking' },
  { what: 'one line less printed', from: /console.log\('found'.*\n/, to: '', kind: /timer/, recorded: /stdout: "found/, now: /timer of 20 ms/, line: 'setTimeout' },
  { what: 'a line on stderr instead', from: "console.log('found'", to: "console.error('found'", kind: /stderr/, recorded: /stdout: "found/, now: /stderr: "found/, line: 'console.error' },
  { what: 'another delay', from: 'resolve, 20', to: 'resolve, 30', kind: /timer/, field: /^(timer|delay)$/, recorded: /20/, now: /30/, line: 'resolve, 30' },
  { what: 'another file', from: "'rules.txt'", to: "'other.txt'", kind: /fs|file/, field: /^(fs|path)$/, recorded: /rules\.txt/, now: /other\.txt/, line: 'other.txt' },
  { what: 'a clock read', from: "console.log('found'", to: "Date.now();\nconsole.log('found'", kind: /clock/, recorded: /stdout: "found/, now: /Date\.now/, line: 'Date.now' },
  { what: 'a random id', from: "console.log('found'", to: "crypto.randomUUID();\nconsole.log('found'", kind: /entropy|random/, recorded: /stdout: "found/, now: /randomUUID/, line: 'randomUUID' },
  { what: 'a draw of Math.random', from: "console.log('found'", to: "Math.random();\nconsole.log('found'", kind: /random|stdout/, field: /^draws$/, recorded: /stdout: "found|0/, now: /1/, line: "console.log('found'" },
  { what: 'an exit code', from: /$/, to: 'process.exitCode = 5;\n', kind: /exit/, field: /^exitCode$/, recorded: /0/, now: /5/, line: '' },
  { what: 'an end before the end', from: "console.log('found'", to: "process.exit(0);\nconsole.log('found'", kind: /exit|stdout/, recorded: /stdout: "found/, now: /exit/, line: 'process.exit' },
  { what: 'an error thrown', from: "console.log('found'", to: "throw new Error('oops');\nconsole.log('found'", kind: /./, recorded: /stdout: "found/, now: /oops/, line: 'oops' },
];

describe('a changed program', () => {
  it.each(EDITS)('$what: stops there, says what, where and why, and touches nothing', async (edit) => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const agent = await recordAssistant(workspace, server);
    const changed = readFileSync(agent, 'utf8').replace(edit.from, edit.to);
    writeFileSync(agent, changed);
    const replayed = await replayWithServerUp(workspace, server);

    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'diverged', step: expect.any(Number), liveCalls: 0 } });
    const report = replayed.report as Report;
    expect(report.kind).toMatch(edit.kind);
    expect(`${report.expected} ${report.firstDifference?.expected}`).toMatch(edit.recorded);
    expect(`${report.actual} ${report.firstDifference?.actual}`).toMatch(edit.now);
    if (edit.field) expect(report.firstDifference?.field).toMatch(edit.field);
    // A report that quotes the same thing twice explains nothing.
    expect([report.expected, report.firstDifference?.expected]).not.toEqual([report.actual, report.firstDifference?.actual]);
    if (edit.line) {
      const at = `${agent}:${changed.split('\n').findIndex((line) => line.includes(edit.line)) + 1}:`;
      expect(report.stack[0]).toContain(agent);
      expect(report.stack.join('\n')).toContain(at);
      expect(replayed.ownStderr).toContain(at);
    }
    expect(replayed.ownStderr).toContain(`diverged at step ${report.step}`);
    expect(server.hits).toBe(0);
  });

  it('is clean when nothing was changed, or only a comment', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const agent = await recordAssistant(workspace, server);
    expect(await replayWithServerUp(workspace, server)).toMatchObject({ exitCode: 0, report: { verdict: 'identical', liveCalls: 0, step: null, firstDifference: null } });
    writeFileSync(agent, `${readFileSync(agent, 'utf8')}// a comment\n`);
    expect(await replayWithServerUp(workspace, server)).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
    expect(server.hits).toBe(0);
  });
});

async function recordAssistant(workspace: Workspace, server: TestServer): Promise<string> {
  workspace.write('rules.txt', 'Be brief.');
  workspace.write('other.txt', 'Be brief.');
  const agent = workspace.copy('assistant.mjs');
  const recorded = await workspace.record(agent, { env: server.env });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, ownStderr: '' });
  return agent;
}

async function replayWithServerUp(workspace: Workspace, server: TestServer): Promise<Replayed> {
  await server.stop();
  await server.start();
  return workspace.replay();
}
