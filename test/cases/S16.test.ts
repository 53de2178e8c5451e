import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES, PRELOAD } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import { holdsBaseRule } from './base-rule.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const program = (name: string): string => join(PACKAGES, 'agents', name);
const hooks = ['--import', program('s16-hooks.mjs')];
/** Node 26 tells that `module.register` is on its way out. */
const quiet = ['--no-warnings', '--enable-source-maps'];
const tsx = ['--import', join(PACKAGES, 'node_modules/tsx/dist/loader.mjs')];
const tsxAside = (stdout: string): string => stdout.replace(/^\S+ \d+ [\d.e-]+/, 'ANSWER');
const aside = (stdout: string): string => stdout.replace(/[0-9a-f]{8}-[0-9a-f-]{27} \d+ [\d.e-]+/g, 'ANSWER').replace(/: (?!Mcp|Streamable|Zod).+/g, ': ANSWER');

// Loading these packages takes seconds on a busy machine, and every program here runs four times.
describe('S16', { timeout: 300_000 }, () => {
  it('packages that rewriting loaders break', async () => {
    const { recorded } = await holdsBaseRule(program('s16-packages.mjs'), aside);
    for (const name of ['openai', 'anthropic', 'ai', 'langgraph']) expect(recorded.stdout.toString()).toMatch(new RegExp(`^${name}: .+`, 'm'));
  });

  it('module hooks registered after the harness', async () => {
    const { recorded } = await holdsBaseRule(program('s16-agent.ts'), aside, { nodeArgs: [...quiet, ...hooks] });
    expect(recorded.stdout.toString()).toContain('s16-agent.ts:8:9');
  });

  it('import() through module hooks keeps its turn', async () => {
    for (let round = 0; round < 2; round++) await holdsBaseRule(program('s16-imports.mjs'), (stdout) => stdout.trim().split(', ').sort().join(), { nodeArgs: [...quiet, ...hooks] });
  });

  it('module hooks registered before the harness: it says what it cannot see', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const bare = await workspace.node([...quiet, ...hooks, program('s16-agent.ts')], { env: server.env });
    const recorded = await workspace.node([...quiet, ...hooks, ...PRELOAD.import, program('s16-agent.ts')], { env: server.env });
    expect(aside(recorded.stdout.toString())).toBe(aside(bare.stdout.toString()));
    // From Node 24 on, import() waits for the hooks where it stands.
    expect(recorded.stderr.toString()).toMatch(NODE_MAJOR >= 24 ? /^$/ : /^replay-harness: not captured: import\(\) through module hooks [^\n]*may differ\n$/);
    await server.stop();
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    expect(replayed.stdout).toEqual(recorded.stdout);
  });

  it('a TypeScript loader after the harness: tsx, whose compiler runs live in both modes', async () => {
    const { recorded } = await holdsBaseRule(program('s16-tsx.ts'), tsxAside, { nodeArgs: ['--no-warnings', ...tsx] });
    expect(recorded.stdout.toString()).toMatch(/ polite\n[^\n]*s16-tsx\.ts:11:9\)\n[^\n]*s16-tsx\.ts:17:5\)\nlate 1\n$/);
  });

  it('the same loader before the harness: the calls are recorded, and what it had begun is named', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const bare = await workspace.node(['--no-warnings', ...tsx, program('s16-tsx.ts')], { env: server.env });
    const recorded = await workspace.node(['--no-warnings', ...tsx, ...PRELOAD.import, program('s16-tsx.ts')], { env: server.env });
    expect(tsxAside(recorded.stdout.toString())).toBe(tsxAside(bare.stdout.toString()));
    expect(recorded.stderr.toString()).toMatch(/^replay-harness: not captured: [^\n]* before replay-harness [^\n]*may differ\n$/);
    await server.stop();
    await server.start();
    const replayed = await workspace.replay();
    expect(['identical', 'diverged']).toContain(replayed.report?.verdict);
    expect(server.hits).toBe(0);
  });

  it.runIf(NODE_MAJOR >= 22)('types that Node blanks out', async () => {
    for (const nodeArgs of [[], ['--enable-source-maps'], ['--experimental-strip-types']]) {
      const { recorded } = await holdsBaseRule(program('s16-native.ts'), aside, { nodeArgs: ['--no-warnings', ...nodeArgs] });
      expect(recorded.stdout.toString()).toContain('s16-native.ts:6:');
    }
  });
});
