/** Child processes, and what is said to servers of the Model Context Protocol through their pipes, as steps. */
import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { renderTrajectory, type RunHeader } from '../../src/cli/render/trajectory.ts';
import { runCommand, speakMcp } from './support/processes.ts';
import { FACTS, Tape } from './support/traffic.ts';

const CALM = { error: null, boundary: 'child_process', kind: 'tool' };

test('commands: what they were given, what they said, how they ended', () => {
  const tape = new Tape();
  runCommand(tape);
  expect(interpret(tape.events)).toMatchObject([
    { ...CALM, name: 'tr a-z A-Z', summary: 'tr a-z A-Z → exit 0, SOME TEXT', input: { command: 'tr', args: ['a-z', 'A-Z'], cwd: '/work', stdin: 'some text', env: { ADDED: 'x' } }, output: { stdout: 'SOME TEXT', stderr: 'a warning\n', exitCode: 0, signal: null } },
    { ...CALM, name: 'sleep 60', summary: 'sleep 60 → SIGTERM', output: { stdout: '', stderr: '', exitCode: null, signal: 'SIGTERM' } },
    { name: 'no-such', summary: 'no-such → ENOENT', output: null, error: { code: 'ENOENT', message: 'spawn no-such ENOENT', path: 'no-such' } },
    { ...CALM, name: 'git status', summary: 'git status → exit 128, out', input: { cwd: '/repository', stdin: 'given' }, output: { stdout: 'out', stderr: 'fatal: no', exitCode: 128, signal: null } },
  ]);
});

test('an MCP server: each call is a step, wherever its chunks are cut', () => {
  const tape = new Tape();
  speakMcp(tape);
  const [server, ...said] = interpret(tape.events);
  expect(server).toMatchObject({ name: 'mcp-server --stdio', input: { stdin: null }, output: { stdout: null, stderr: 'reading\n', exitCode: null, signal: 'SIGTERM', protocol: 'mcp' } });
  expect(said.map(({ kind, name }) => [kind, name])).toEqual([
    ['tool', 'mcp initialize'], ['message', 'mcp notifications/initialized'], ['tool', 'mcp read_file'], ['tool', 'mcp write_file'], ['tool', 'mcp sampling/createMessage'], ['tool', 'mcp fails'],
    ['message', 'mcp notifications/message'], ['tool', 'mcp hangs'],
  ]);
  const [hello, , read, write, sampling, fails, notice, hangs] = said;
  expect(hello?.latencyMs).not.toBeNull();
  expect(read).toMatchObject({ ...CALM, input: { tool: 'read_file', args: { path: '/etc/motd' }, server: 'files' }, output: { result: { content: [{ text: 'grüezi' }] } }, summary: 'read_file {"path":"/etc/motd"} · files → "grüezi"' });
  expect(write).toMatchObject({ output: null, error: { code: '-32000', message: 'read-only' } });
  expect(sampling).toMatchObject({ ...CALM, input: { tool: 'sampling/createMessage', askedBy: 'server' }, output: { result: { role: 'assistant' } } });
  expect(fails).toMatchObject({ error: { code: 'TOOL_ERROR', message: 'no luck' }, output: { result: { isError: true } } });
  expect(notice).toMatchObject({ input: null, output: { method: 'notifications/message', params: { level: 'info' } } });
  expect(hangs).toMatchObject({ output: null, error: null, ended: null, summary: 'hangs {} · files → no answer' });
});

test('as a person reads them', () => {
  const tape = new Tape();
  runCommand(tape);
  speakMcp(tape);
  const header: RunHeader = { id: 'run-1', agent: 'agent', startedAt: new Date(FACTS.startedAt).toISOString(), command: ['node', 'agent.mjs'], node: 'v20.20.2', status: 'complete', exitCode: 0, durationMs: 5 };
  const shown = renderTrajectory(header, interpret(tape.events), { color: false });
  const lines = shown.split('\n').map((line) => line.replace(/^ *\d+ +(\d+ +)?(\+\d+)? */, '').replace(/ +(<1|\d+) ms$/, ' TIME')).filter((line) => /^(run|mcp|answer|→|<|!|✗|>)/.test(line));
  expect(lines).toEqual(expect.arrayContaining([
    'run     tr a-z A-Z', '> some text', '< SOME TEXT', '! a warning', 'run     no-such', '✗ ENOENT: spawn no-such ENOENT', 'run     git status', '! fatal: no',
    'run     mcp-server --stdio → SIGTERM', 'mcp     read_file {"path":"/etc/motd"} · files', '< grüezi', '✗ -32000: read-only', 'mcp     sampling/createMessage {"maxTokens":5} · asked by files', '✗ TOOL_ERROR: no luck',
    'mcp     notifications/message {"level":"info"} · from files', 'mcp     hangs · files',
  ]));
  expect(lines.some((line) => /→ exit 128/.test(line))).toBe(true);
});
