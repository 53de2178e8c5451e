/** `doctor`: one planted program a rule, and a clean one. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPath, ROOT } from '../support/paths.ts';
import { RUNTIMES } from '../support/replay-by-meaning.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Finding {
  readonly rule: string;
  readonly effect: string;
  readonly run: string | null;
  readonly step: number | null;
  readonly what: string;
  readonly where: string;
  readonly wayOut: string;
}

interface Diagnosis {
  readonly ok: boolean;
  readonly rules: readonly string[];
  readonly findings: readonly Finding[];
}

const HOUR = 3_600_000;

/** A model by the provider's own rules of naming, and a service whose clock is two hours ahead. */
const world = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
    if (request.url === '/ahead') return response.setHeader('date', new Date(Date.now() + 2 * HOUR).toUTCString()).end('ok');
    const { model } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'x', object: 'chat.completion', model, choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Well.' } }], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }));
  });
});
let MODEL_URL = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => world.listen(0, '127.0.0.1', resolve));
  MODEL_URL = `http://127.0.0.1:${(world.address() as AddressInfo).port}`;
});
afterAll(() => void world.close());

async function doctor(workspace: Workspace, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Diagnosis & { readonly exitCode: number | null; readonly stderr: string }> {
  const { exitCode, stdout, stderr } = await workspace.cli(['doctor', '--json', ...args], { env });
  expect(stdout.length, stderr.toString()).toBeGreaterThan(0);
  return { ...(JSON.parse(stdout.toString()) as Diagnosis), exitCode, stderr: stderr.toString() };
}

/** @returns a shared library */
function compiled(workspace: Workspace, source: string, ...libraries: string[]): string {
  const file = workspace.path(`${source.split('/').at(-1)}.so`);
  execFileSync('cc', ['-shared', '-fPIC', '-o', file, join(ROOT, source), ...libraries], { stdio: 'pipe' });
  return file;
}

interface Planted {
  readonly agent: string;
  readonly rule: string;
  readonly effect: string;
  readonly what: RegExp;
  readonly where: RegExp;
  readonly wayOut: RegExp;
  readonly env?: (workspace: Workspace) => Readonly<Record<string, string>>;
}

const PLANTED: readonly Planted[] = [
  { agent: 'doctor/native-addon.cjs', rule: 'native-addon', effect: 'stops', what: /a native addon \(addon\.c\.so\) is not captured/, where: /native-addon\.cjs:2/, wayOut: /nativeAddons/, env: (workspace) => ({ ADDON: compiled(workspace, 'test/addons/addon.c') }) },
  { agent: 'uncaptured/shared-memory.mjs', rule: 'shared-memory', effect: 'stops', what: /a SharedArrayBuffer that another thread is given/, where: /shared-memory\.mjs:/, wayOut: /postMessage/ },
  { agent: 'uncaptured/wait-async.mjs', rule: 'shared-memory', effect: 'stops', what: /Atomics\.waitAsync/, where: /wait-async\.mjs:/, wayOut: /one thread/ },
  { agent: 'uncaptured/cluster.mjs', rule: 'cluster', effect: 'stops', what: /cluster\.fork/, where: /cluster\.mjs:/, wayOut: /run of its own/ },
  { agent: 'uncaptured/wasi.mjs', rule: 'wasi', effect: 'stops', what: /node:wasi/, where: /wasi\.mjs:/, wayOut: /new WASI/ },
  { agent: 'uncaptured/heap-snapshot.mjs', rule: 'uncaptured', effect: 'stops', what: /v8\.writeHeapSnapshot/, where: /heap-snapshot\.mjs:/, wayOut: /do without it/ },
  { agent: 'doctor/killed.mjs', rule: 'truncated', effect: 'stops', what: /the recording is truncated/, where: /^$/, wayOut: /exit code 7/ },
  { agent: 'doctor/model-alias.mjs', rule: 'model-alias', effect: 'live', what: /the model "gpt-4o" is an alias/, where: /^$/, wayOut: /dated snapshot/ },
  { agent: 'doctor/skewed-answer.mjs', rule: 'clock-skew', effect: 'live', what: /^the recorded clock is (119|120) min \d+ s behind that of 127\.0\.0\.1:\d+/, where: /^$/, wayOut: /NTP/ },
  { agent: 'doctor/clock-set-back.mjs', rule: 'clock-jump', effect: 'live', what: /clock was set back during the run, by 5\d min|clock was set back during the run, by 60 min/, where: /^$/, wayOut: /performance\.now/, env: (workspace) => ({ LD_PRELOAD: compiled(workspace, 'test/support/clock.c', '-ldl'), CLOCK_FILE: workspace.write('clock', Buffer.alloc(1_000_000)) }) },
];

describe('doctor of a run', () => {
  it.each(PLANTED)('$agent: $rule', async ({ agent, rule, effect, what, where, wayOut, env }) => {
    const workspace = testWorkspace();
    await workspace.record(agent, { env: { MODEL_URL, REPLAY_HARNESS_LOG: 'silent', ...env?.(workspace) } });
    // The root run: what a child process did is in a run of its own.
    const diagnosis = await doctor(workspace, ['latest']);
    expect(diagnosis).toMatchObject({ exitCode: 1, ok: false, findings: [{ rule, effect, run: expect.stringMatching(/^[0-9a-f-]{36}$/) as string, what: expect.stringMatching(what) as string, where: expect.stringMatching(where) as string, wayOut: expect.stringMatching(wayOut) as string }] });
  });

  it('a clean one has nothing', async () => {
    const workspace = testWorkspace();
    await workspace.record('doctor/clean.mjs', { env: { MODEL_URL } });
    expect(await doctor(workspace, ['latest'])).toMatchObject({ exitCode: 0, ok: true, findings: [] });
    const shown = await workspace.cli(['doctor', 'latest']);
    expect(shown.stdout.toString()).toMatch(/^Run [0-9a-f-]{36}\n✓ nothing found \(looked for native-addon, .*\)\n$/);
  });

  it('of a program that changed since, and of a part of it that is gone', async () => {
    const workspace = testWorkspace();
    workspace.write('word.mjs', 'export const word = "one";\n');
    workspace.write('other.mjs', 'export const other = 1;\n');
    await workspace.record(workspace.write('says.mjs', 'import "./other.mjs";\nimport { word } from "./word.mjs";\nconsole.log(word);\n'));
    expect(await doctor(workspace, ['latest'])).toMatchObject({ exitCode: 0, findings: [] });
    workspace.write('word.mjs', 'export const word = "two";\n');
    workspace.take('other.mjs');
    const { exitCode, findings: [finding, ...more] } = await doctor(workspace, ['latest']);
    expect([exitCode, more]).toEqual([1, []]);
    expect(finding).toMatchObject({ rule: 'changed-program', effect: 'differs', wayOut: expect.stringContaining('--loose') as string });
    expect(finding?.what).toContain(workspace.path('word.mjs'));
    expect(finding?.what).toContain(`${workspace.path('other.mjs')} (not here any more)`);
    expect(finding?.what).not.toContain('says.mjs');
  });

  it.skipIf(RUNTIMES.size === 1)('of one that was recorded on another Node version', async () => {
    const workspace = testWorkspace();
    const [, runtime] = [...RUNTIMES].find(([, path]) => path !== process.execPath) as [string, string];
    await workspace.record('exit-code.mjs', { runtime });
    expect(await doctor(workspace, ['latest'])).toMatchObject({ exitCode: 1, findings: [{ rule: 'node-version', effect: 'differs', what: expect.stringContaining(`and this is ${process.version}`) as string, wayOut: expect.stringContaining(runtime) as string }] });
  });
});

describe('doctor of a command', () => {
  it('records it once, replays it, and keeps nothing', async () => {
    const workspace = testWorkspace();
    const clean = await doctor(workspace, ['--', process.execPath, agentPath('doctor/clean.mjs')], { MODEL_URL });
    expect(clean).toMatchObject({ exitCode: 0, ok: true, findings: [] });
    expect(clean.rules).toContain('replay');
    // What the program prints is beside the diagnosis.
    expect(clean.stderr).toMatch(/^Well\. true true\n/);
    const planted = await workspace.cli(['doctor', '--', process.execPath, agentPath('uncaptured/heap-snapshot.mjs')]);
    expect(planted.exitCode).toBe(1);
    expect(planted.stdout.toString()).toMatch(/^Command .*heap-snapshot\.mjs\n✗ uncaptured: v8\.writeHeapSnapshot is not captured\n {4}at .*heap-snapshot\.mjs:\d+:\d+.*\n {4}a replay stops there\. Way out: do without it[^\n]*\n\n1 finding\n$/);
    expect(workspace.runs()).toEqual([]);
    const nothing = await workspace.cli(['doctor', '--', 'true']);
    expect(nothing.exitCode).toBe(2);
    expect(nothing.stderr.toString()).toContain('nothing was recorded of "true"');
    expect((await workspace.cli(['doctor', 'latest', '--', 'true'])).exitCode).toBe(2);
  });
});

describe('doctor of the machine', () => {
  it('names what is there and what is missing', async () => {
    const workspace = testWorkspace();
    const seen = await workspace.cli(['doctor']);
    expect(seen.stdout.toString()).toMatch(new RegExp(`^Machine .*\n[^]*✓ Node ${process.version}\n`));
    expect(seen.stdout.toString()).toContain(`✓ the store ${workspace.store} (0 runs)\n`);
    expect(seen.stdout.toString()).toMatch(/✓ no key pair yet; the first recording makes one in .*config\/replay-harness\n/);
    // Looking makes nothing.
    expect(workspace.runs()).toEqual([]);
    expect((await workspace.cli(['doctor'])).stdout.toString()).toContain('no key pair yet');
    const file = workspace.write('file', '');
    const missing = await doctor(workspace, ['--store', file], { REPLAY_HARNESS_IDENTITY: workspace.path('nowhere'), PATH: '/nowhere' });
    expect(missing.exitCode).toBe(1);
    expect(missing.findings).toEqual(expect.arrayContaining([
      expect.objectContaining({ rule: 'machine-store', what: expect.stringContaining('is a file') as string }),
      expect.objectContaining({ rule: 'machine-keys', what: expect.stringContaining('does not exist') as string }),
    ]));
    const writer = await doctor(workspace, [], { REPLAY_HARNESS_RECIPIENT: 'rh-recipient-somebody', XDG_CONFIG_HOME: workspace.path('elsewhere') });
    expect(writer.findings).toEqual(expect.arrayContaining([expect.objectContaining({ rule: 'machine-keys', what: expect.stringContaining('a public key alone') as string })]));
  });
});
