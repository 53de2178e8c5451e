import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import type { Workspace } from '../support/workspace.ts';
import { holdsBaseRule } from './base-rule.ts';

const AGENT = join(PACKAGES, 'agents/mcp-stdio.mjs');
const SERVER = join(PACKAGES, 'agents/mcp-stdio-server.mjs');
/** How the server's messages share chunks differs from run to run, and with it what is told first. */
const aside = (stdout: string): string => stdout.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replace(/answer at \d+/, 'answer').split('\n').sort().join('\n');

interface ShownStep {
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

async function stepsOf(workspace: Workspace): Promise<ShownStep[]> {
  const shown = await workspace.cli(['show', 'latest', '--json']);
  return (JSON.parse(shown.stdout.toString()) as { steps: ShownStep[] }).steps.filter(({ boundary }) => boundary === 'child_process');
}

it.each(['inherit', 'pipe'])('S20 an MCP server over pipes, its logs by %s: gone when replayed, and PATH empty', async (stderr) => {
  const options = { args: ['server.mjs', stderr], prepare: (workspace: Workspace) => void workspace.write('server.mjs', readFileSync(SERVER)) };
  const { workspace, recorded, bare, replay } = await holdsBaseRule(AGENT, aside, options);
  const stdout = recorded.stdout.toString();
  expect(stdout).toContain("[ 'look_up', 'large', 'ask_model', 'environment', 'fails' ]");
  expect(stdout).toContain('asked why?');
  // The server's environment is the short one of the SDK, recorded or not.
  expect(stdout).toMatch(/^environment false HOME,PATH 9$/m);
  expect(stdout.split('\n').filter((line) => line.startsWith('environment'))).toEqual(bare.split('\n').filter((line) => line.startsWith('environment')));
  expect(stdout).toMatch(/closed\ndone null\n$/);
  expect(recorded.agentStderr.toString()).toContain('server answers tools/call');

  for (const name of ['server.mjs', 'started']) rmSync(workspace.path(name));
  await replay(['--env', 'PATH=']);
  expect(workspace.take('started')).toBe(false);

  const steps = await stepsOf(workspace);
  const requests = steps.filter(({ kind, name }) => kind === 'tool' && name.startsWith('mcp '));
  expect(requests.map(({ name }) => name)).toEqual(['initialize', 'tools/list', 'look_up', 'look_up', 'look_up', 'large', 'ask_model', 'sampling/createMessage', 'environment', 'fails', 'no_such_tool'].map((tool) => `mcp ${tool}`));
  expect(requests[2]).toMatchObject({ input: { tool: 'look_up', args: { what: 'ünbedingt' } }, output: { result: { content: [{ type: 'text', text: expect.stringMatching(/^ünbedingt: [0-9a-f-]{36}$/) }] } }, error: null });
  expect(requests.at(-2)).toMatchObject({ output: { result: { isError: true } }, error: { code: 'TOOL_ERROR', message: 'it did not work' } });
  expect(requests.at(-1)).toMatchObject({ output: null, error: { code: '-32602', message: 'nothing is called no_such_tool' } });
  expect(steps.filter(({ kind }) => kind === 'message').map(({ name }) => name)).toContain('mcp notifications/message');
  expect(steps.find(({ name }) => name.endsWith('server.mjs'))).toMatchObject({ input: { args: ['server.mjs'] }, output: { exitCode: 0, signal: null, stderr: expect.stringContaining('server started') } });
});
