import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLANTS, recordPlanted } from '../support/planted-run.ts';
import { findLeaks, PLANTED } from '../support/planted-secrets.ts';
import { Workspace } from '../support/workspace.ts';
import type { Harnessed } from '../support/workspace.ts';

/** Secrets that the agent prints are in its own output; what the harness says of the run holds none. */
let workspace: Workspace;
let recorded: Harnessed;

beforeAll(async () => {
  workspace = new Workspace();
  recorded = await recordPlanted(workspace);
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, ownStderr: '' });
});

afterAll(() => workspace.remove());

async function said(...args: readonly string[]): Promise<Buffer> {
  const { stdout, stderr, exitCode } = await workspace.cli(args);
  expect(exitCode, stderr.toString()).toBe(0);
  expect(stdout.length).toBeGreaterThan(0);
  return Buffer.concat([stdout, stderr]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

describe('S26 secrets', () => {
  it('there are 40 of them and more, and the search for them finds each in what the agent printed', () => {
    expect(new Set(Object.values(PLANTED)).size).toBeGreaterThanOrEqual(40);
    const found = new Set(findLeaks(recorded.stdout).map(({ name }) => name));
    expect(Object.keys(PLANTED).filter((name) => !found.has(name))).toEqual([]);
  });

  it('lie nowhere in the store, which nobody else can read', async () => {
    await said('runs');
    const files = filesBelow(workspace.store);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      expect(findLeaks(readFileSync(file)), file).toEqual([]);
      if (!file.endsWith('.gitignore')) expect(statSync(file).mode & 0o077, file).toBe(0);
    }
  });

  it('are in nothing that is said of the run', async () => {
    for (const args of [['show', 'latest'], ['show', 'latest', '--json'], ['runs'], ['runs', '--json'], ['diff', 'latest', 'latest', '--json']]) {
      expect(findLeaks(await said(...args)), args.join(' ')).toEqual([]);
    }
  });

  it('are in no step that is shown whole, and in the exact bytes of it', async () => {
    const { steps } = JSON.parse((await said('show', 'latest', '--json')).toString()) as { steps: { step: number; name: string }[] };
    const [login] = steps.filter(({ name }) => name.endsWith('/login'));
    expect(findLeaks(await said('show', 'latest', '--step', String(login?.step)))).toEqual([]);
    const { stdout } = await workspace.cli(['show', 'latest', '--step', String(login?.step), '--raw', 'input']);
    expect(findLeaks(stdout).map(({ name }) => name)).toContain('jsonPassword');
  });

  it('show as stand-ins, of the same length and the same in every place', async () => {
    const { steps } = JSON.parse((await said('show', 'latest', '--json')).toString()) as { steps: { name: string; input: { text?: string; headers?: Record<string, string> } | null; output: { text?: string; body?: { access_token: string } } }[] };
    const token = steps.find(({ name }) => name.endsWith('/session'))?.output.body?.access_token as string;
    expect(token).toMatch(/^[a-z]{3}\.MaskedToken\w+oP1q$/);
    expect(token).toHaveLength((PLANTED['answerToken'] as string).length);
    expect(token).not.toBe(PLANTED['answerToken']);
    expect(steps.some(({ output }) => output?.text?.includes(`token ${token.length} ${token.slice(-4)} ok`))).toBe(true);
    expect(steps.some(({ output }) => output?.text?.includes(token))).toBe(true);
  });

  it('are not needed for a replay: no key is set, and every token that came with an answer is the one that was recorded', async () => {
    const replayed = await workspace.replay('latest', { env: { OPENAI_API_KEY: '', DEPLOY_SECRET: '', DATABASE_URL: '' } });
    expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.equals(recorded.stdout)).toBe(true);
    expect(replayed.stdout.toString()).toContain(`token ${PLANTED['answerToken']?.length} ${PLANTED['answerToken']?.slice(-4)} ok`);
  });

  it('are in no divergence, on neither side', async () => {
    const agent = workspace.path(PLANTS.split('/').at(-1) as string);
    const program = readFileSync(agent, 'utf8');
    const other = 'sk-proj-' + 'Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz9Xc';
    for (const [from, to] of [
      ['?key=${secrets.queryKey}&page=2', `?key=${other}&page=2`],
      ["'argument', process.argv.at(-1)", `'argument', '${other}'`],
    ] as const) {
      expect(program).toContain(from);
      workspace.write('changed.mjs', program.replace(from, to));
      const replayed = await workspace.replay('latest', { args: ['--', 'node', workspace.path('changed.mjs'), '--api-key', PLANTED['argument'] as string] });
      expect(replayed.report?.verdict, replayed.stderr.toString()).toBe('diverged');
      const told = Buffer.from(`${replayed.ownStderr}\n${readFileSync(workspace.path('report.json'), 'utf8')}`);
      expect(findLeaks(told, { ...PLANTED, other }), from).toEqual([]);
    }
  });

  it('are given out by the vault, which notes who asked', async () => {
    const { steps } = JSON.parse((await said('show', 'latest', '--json')).toString()) as { steps: { name: string; output: { body?: { access_token: string } } }[] };
    const standIn = steps.find(({ name }) => name.endsWith('/session'))?.output.body?.access_token as string;
    const refused = await workspace.cli(['vault', 'latest', standIn]);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr.toString()).toMatch(/--purpose/);
    const { stdout, exitCode } = await workspace.cli(['vault', 'latest', standIn, '--purpose', 'incident 7', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout.toString())).toEqual([{ standIn, kind: 'token', value: PLANTED['answerToken'] }]);
    const log = JSON.parse((await said('vault', 'latest', '--log', '--json')).toString()) as unknown[];
    expect(log).toEqual([expect.objectContaining({ purpose: 'incident 7', standIns: [standIn] })]);
    expect(await workspace.cli(['vault', 'latest', PLANTED['answerToken'] as string, '--purpose', 'x'])).toMatchObject({ exitCode: 2 });
    for (const file of filesBelow(workspace.store)) expect(findLeaks(readFileSync(file)), file).toEqual([]);
  });
});
