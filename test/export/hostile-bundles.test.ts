/** Bundles that are damaged, or that somebody made to do harm: refused by name before anything is written, and nothing of them is run. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, type BundledRun, type BundleEntry, decodeBundle, encodeBundle } from '../../src/export/bundle/container.ts';
import { exactEntry, standInEntry } from '../../src/export/bundle/make.ts';
import { takeBundle } from '../../src/export/bundle/take.ts';
import { IntegrityError } from '../../src/model/error.ts';
import type { LaneEvent, RunFacts } from '../../src/model/event.ts';
import { EmbeddedStore } from '../../src/store/embedded.ts';
import { identities, recipients } from '../../src/store/keyring.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { Workspace } from '../support/workspace.ts';

const MOST = 4 * 1024 * 1024;
const PROGRAM = 'await new Promise((resolve) => setTimeout(resolve, 1));\nconsole.log(Date.now(), Math.random(), crypto.randomUUID());\n';
const workspace = new Workspace();
const env = { XDG_CONFIG_HOME: workspace.path('config') };
let events: readonly LaneEvent[];
let exact: BundleEntry;
let standIns: BundleEntry;
let runKey: Buffer;

beforeAll(async () => {
  await workspace.record(workspace.write('program.mjs', PROGRAM));
  const store = new EmbeddedStore(workspace.store);
  const run = store.find('latest');
  const tape = store.tape(run, identities(env));
  events = tape.events;
  runKey = tape.runKey as Buffer;
  exact = exactEntry(run.manifest, store.segments(run), runKey, recipients(env, undefined));
  standIns = standInEntry(run.manifest, [{ lane: 0, events, sealed: true }], runKey, []);
  return () => workspace.remove();
});

const file = (entries: readonly BundleEntry[]): Buffer => encodeBundle({ content: entries[0]?.run?.protection?.by === 'clear' ? 'stand-ins' : 'exact', run: entries[0]?.run?.manifest?.id ?? '', madeBy: 'a test' }, entries);
const take = (bytes: Buffer, most = MOST): ReturnType<typeof takeBundle> => takeBundle('given.replay', bytes, { identities: identities(env), recipients: recipients(env, undefined), most, now: new Date(0).toISOString() });
/** The bundle of stand-ins with another run in it. */
const forged = (change: (run: BundledRun) => unknown, from: BundleEntry = standIns): Buffer => file([{ run: change(structuredClone(from.run)) as BundledRun, payload: from.payload }]);
const withManifest = (change: Readonly<Record<string, unknown>>): Buffer => forged((run) => ({ ...run, manifest: { ...run.manifest, ...change } }));

function refused(bytes: Buffer, why: RegExp, most = MOST): void {
  expect(() => take(bytes, most)).toThrow(IntegrityError);
  expect(() => take(bytes, most)).toThrow(why);
}

it.each(['exact', 'stand-ins'])('whole, it is taken (%s)', (content) => {
  const { runs } = take(file([content === 'exact' ? exact : standIns]));
  expect(runs).toMatchObject([{ manifest: { imported: { content } } }]);
});

/** Every byte takes long: FLIP_STEP=1. */
const STEP = Number(process.env['FLIP_STEP'] ?? 5);

it.each(['exact', 'stand-ins'])('one byte altered, anywhere (%s)', (content) => {
  const bytes = file([content === 'exact' ? exact : standIns]);
  for (let at = 0; at < bytes.length; at += STEP) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] as number) ^ (1 << (at % 8));
    expect(() => take(altered), `byte ${at}`).toThrow(IntegrityError);
  }
});

it('cut off, anywhere, or with something behind its end', () => {
  const bytes = file([standIns]);
  for (let length = 0; length < bytes.length; length += STEP) expect(() => take(bytes.subarray(0, length)), `${length} bytes`).toThrow(IntegrityError);
  refused(bytes.subarray(0, -1), /is cut off: \d+ of \d+ bytes/);
  refused(Buffer.concat([bytes, Buffer.from('x')]), /checksum/);
});

it('of another format, or of a newer version', () => {
  refused(Buffer.from('PK\x03\x04 a zip file'), /is no bundle of replay-harness/);
  refused(Buffer.alloc(0), /is no bundle/);
  const newer = file([standIns]);
  newer.writeUInt16LE(2, 8);
  refused(newer, /version 2; this replay-harness reads version 1.*Update/);
});

describe('a bomb', () => {
  /** As somebody would write it who knows the format. */
  const bundle = (plain: Buffer, claimed: number): Buffer => {
    const { header } = decodeBundle('x', file([standIns]), MOST);
    const body = brotliCompressSync(plain);
    const sha = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
    const own: Bundle['header'] = { ...header, packed: body.length, bytes: claimed, sha256: sha(body) };
    const text = Buffer.from(JSON.stringify({ ...own, check: sha(JSON.stringify(own)) }));
    const head = Buffer.alloc(14);
    head.write('RHBNDL\r\n', 'latin1');
    head.writeUInt16LE(1, 8);
    head.writeUInt32LE(text.length, 10);
    return Buffer.concat([head, text, body]);
  };

  it('that says how large it is', () => refused(bundle(Buffer.alloc(MOST + 1), MOST + 1), /inflates to 4194305 bytes; the disk cap/));

  it('that lies about it', () => refused(bundle(Buffer.alloc(MOST), 1000), /larger than the 1000 bytes/));

  it('within its sealed part', () => {
    const [segment] = exact.run.segments;
    refused(forged((run) => ({ ...run, segments: [{ ...segment, bytes: MOST + 1 }] }), exact), /bytes of journals; the disk cap/);
    refused(forged((run) => ({ ...run, segments: [{ ...segment, bytes: 5 }] }), exact), /seal does not hold/);
  });
});

describe('what it says of a run', () => {
  it.each(['../../../../tmp/evil', '/etc/passwd', '', '..', 'latest', 'A1A22A0E-E1D9-76E1-879C-E73F22F348F7', 7, null, `${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}/../x`])('the id %j', (id) => {
    refused(withManifest({ id }), /no id of a run/);
  });

  it('ids that do not belong together', () => {
    const other = '01a22a0e-e1d9-76e1-879c-e73f22f348f7';
    refused(withManifest({ id: other }), /belongs to run|is not what a run is/);
    refused(withManifest({ parentRunId: '../x' }), /is not what a run is/);
    refused(file([standIns, standIns]), /twice/);
    refused(forged((run) => ({ ...run, segments: [...run.segments, ...run.segments] })), /twice/);
    refused(encodeBundle({ content: 'stand-ins', run: other, madeBy: 'a test' }, [standIns]), /does not hold the runs that it says/);
    refused(encodeBundle({ content: 'exact', run: standIns.run.manifest.id, madeBy: 'a test' }, [standIns]), /protected in another way/);
  });

  it('fields of the wrong sort, and unknown ones', () => {
    for (const change of [{ pid: -1 }, { tags: { a: 1 } }, { startedAt: 'now' }, { node: 20 }, { signal: 'rm -rf' }, { archived: {} }, { gone: {} }, { imported: {} }, { tail: { file: 1 } }, { format: 2 }, { status: 'done' }]) refused(withManifest(change), /is not what a run is/);
    for (const run of [null, 7, [], 'run']) refused(file([{ run: run as unknown as BundledRun, payload: Buffer.alloc(0) }]), /no id of a run/);
    for (const segments of [null, {}, [null], [{ bytes: 1 }]]) refused(forged((run) => ({ ...run, segments })), /is not what a run is/);
    for (const lane of [-1, 0.5, '0/../../x']) refused(forged((run) => ({ ...run, segments: run.segments.map((segment) => ({ ...segment, header: { ...segment.header, lane } })) })), /is not what a run is/);
    for (const protection of [{ by: 'raw' }, { by: 'kept', salt: '' }, { by: 'none' }, { by: 'sealed', salt: '', keys: [{ recipient: 'x' }], header: [] }]) refused(forged((run) => ({ ...run, protection })), /is not what a run is/);
  });

  it('a journal with a hole, or another order', () => {
    const [segment] = standIns.run.segments;
    refused(forged((run) => ({ ...run, segments: [{ ...segment, header: { ...segment?.header, segment: 1 } }] })), /checksum|missing/);
    refused(forged((run) => ({ ...run, segments: [] })), /holds \d+ bytes where 0|no journal/);
    refused(file([{ ...standIns, payload: standIns.payload.subarray(0, -1) }]), /where \d+ were packed/);
  });
});

/** A bundle whose journal is in order and whose facts are not what a process was started by. */
function withFacts(change: Partial<RunFacts> | Readonly<Record<string, unknown>>): Buffer {
  const [begin, ...others] = events;
  const facts = { ...(begin as { facts: RunFacts }).facts, ...change } as RunFacts;
  return file([standInEntry({ ...standIns.run.manifest }, [{ lane: 0, events: [{ ...begin, facts } as LaneEvent, ...others], sealed: true }], runKey, [])]);
}

it.each([
  ['env', { PATH: 7 }], ['env', ['PATH']], ['env', { X: 'a\0b' }], ['argv', 'node'], ['argv', ['node', 'a\0b']], ['execArgv', [{}]], ['stdio', ['tty']], ['stdio', ['tty', 'pipe', '/etc/passwd']], ['ipc', 'raw'], ['node', 'v1; rm -rf /'],
  ['runId', '01a22a0e-e1d9-76e1-879c-e73f22f348f7'], ['cwd', null], ['injected', 'yes'],
])('facts that are none: %s %j', (name, value) => {
  refused(withFacts({ [name]: value }), /something impossible of its process|belongs to run|NUL/);
});

describe('nothing of it is executed', () => {
  const marked = async (facts: (marker: string) => Readonly<Record<string, unknown>>): Promise<void> => {
    const host = testWorkspace();
    const marker = host.path('marker');
    const bundle = host.write('given.replay', withFacts(facts(marker)));
    const program = host.write('program.mjs', PROGRAM);
    const imported = await host.cli(['import', bundle]);
    expect(imported.exitCode, imported.stderr.toString()).toBe(0);
    const { id } = standIns.run.manifest;
    // One sandbox that hides what happens in it would prove nothing.
    for (const sandbox of ['auto', 'process']) expect((await host.replay(id, { args: ['--sandbox', sandbox, '--', 'node', program] })).report).toMatchObject({ verdict: 'identical' });
    for (const verb of [['show', id], ['runs'], ['check', '--all'], ['coverage', id], ['replay', id]]) await host.cli(verb);
    expect(existsSync(marker)).toBe(false);
  };
  const script = (marker: string): string => `data:text/javascript,import{writeFileSync}from'node:fs';writeFileSync('${marker}','x')`;

  it('no option of Node', () => marked((marker) => ({ execArgv: ['--import', script(marker), `--import=${script(marker)}`, '-e', `require('fs').writeFileSync('${marker}','x')`, '--cpu-prof', `--cpu-prof-dir=${marker}`] })));

  it('no variable that Node, its libraries or the loader act upon', () =>
    marked((marker) => ({ env: { NODE_OPTIONS: `--import ${script(marker)}`, LD_PRELOAD: '/nowhere/evil.so', NODE_V8_COVERAGE: marker, NODE_REDIRECT_WARNINGS: marker, OPENSSL_CONF: '/nowhere/openssl.cnf', REPLAY_HARNESS_CONTROL: '{}', PATH: '/nowhere' } })));

  it('no program', async () => {
    const host = testWorkspace();
    const evil = host.write('evil', '#!/bin/sh\ntouch "$0.ran"\n');
    chmodSync(evil, 0o755);
    const bundle = host.write('given.replay', withFacts({ execPath: evil, argv0: evil, argv: [evil, evil], execArgv: [] }));
    await host.cli(['import', bundle]);
    for (const sandbox of ['auto', 'process']) expect((await host.replay(standIns.run.manifest.id, { args: ['--sandbox', sandbox, '--', 'node', host.write('program.mjs', PROGRAM)] })).report).toMatchObject({ verdict: 'identical' });
    expect(existsSync(`${evil}.ran`)).toBe(false);
  });

  it('and a name that is a path makes no file outside of the folder of the replay', () => marked((marker) => ({ argv0: `../../../../../../${marker}` })));
});

describe('the command', () => {
  it.each([
    ['absent.replay', 2, /cannot be read/], ['.', 2, /it is no file/], ['damaged.replay', 4, /damaged.replay is damaged/], ['text.txt', 4, /is no bundle/],
  ])('import %s', async (name, exitCode, says) => {
    const host = testWorkspace();
    host.write('text.txt', 'hello');
    const bytes = file([standIns]);
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    host.write('damaged.replay', bytes);
    const refusal = await host.cli(['import', name]);
    expect(refusal).toMatchObject({ exitCode, stdout: Buffer.alloc(0) });
    expect(refusal.stderr.toString()).toMatch(says);
    expect(refusal.stderr.toString()).not.toMatch(/\n\s+at /);
    // Not even an empty store.
    expect(existsSync(host.store)).toBe(false);
  });

  it('a link at the place of the run is neither followed nor replaced', async () => {
    const host = testWorkspace();
    const outside = host.path('outside');
    mkdirSync(outside);
    mkdirSync(`${host.store}/runs`, { recursive: true });
    symlinkSync(outside, `${host.store}/runs/${standIns.run.manifest.id}`);
    const refusal = await host.cli(['import', host.write('given.replay', file([standIns]))]);
    expect(refusal.exitCode).toBe(5);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(host.store).filter((name) => name.startsWith('incoming'))).toEqual([]);
  });

  it('a run of that id with other contents stays what it is', async () => {
    const host = testWorkspace();
    const first = host.write('first.replay', file([standIns]));
    const changed = events.map((event) => (event.type === 'output' && event.kind === 'write' ? { ...event, data: Buffer.from('other\n') } : event));
    const second = host.write('second.replay', file([standInEntry(standIns.run.manifest, [{ lane: 0, events: changed, sealed: true }], runKey, [])]));
    expect((await host.cli(['import', first])).exitCode).toBe(0);
    const journal = `${host.store}/runs/${standIns.run.manifest.id}/lane-0.0000.journal`;
    const before = readFileSync(journal);
    const refusal = await host.cli(['import', second]);
    expect(refusal.exitCode).toBe(2);
    expect(refusal.stderr.toString()).toMatch(/is in the store already, with other contents/);
    expect(readFileSync(journal)).toEqual(before);
    writeFileSync(second, file([standIns]));
    expect((await host.cli(['import', second])).stdout.toString()).toContain('already');
  });
});
