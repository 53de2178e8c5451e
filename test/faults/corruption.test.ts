/** Any byte of a recording altered, and any end of it cut off: found and named, never accepted, never a stack of ours. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { HarnessError, IntegrityError } from '../../src/model/error.ts';
import type { LaneEvent } from '../../src/model/event.ts';
import { EmbeddedStore } from '../../src/store/embedded.ts';
import { identities } from '../../src/store/keyring.ts';
import { Workspace } from '../support/workspace.ts';

type Outcome = { readonly events: readonly LaneEvent[] } | { readonly error: unknown };

class Recording {
  readonly workspace = new Workspace();
  readonly file: (name: string) => string = (name) => `${this.workspace.store}/runs/${this.workspace.runs()[0]}/${name}`;

  get journal(): string {
    return this.file(readdirSync(this.file('.')).find((name) => name.startsWith('lane-')) as string);
  }

  get keys(): string {
    return this.workspace.path('config/replay-harness/identity');
  }

  /** Reads it as every verb does. */
  read(): Outcome {
    try {
      const store = new EmbeddedStore(this.workspace.store);
      return { events: store.tape(store.find('latest'), identities({ XDG_CONFIG_HOME: this.workspace.path('config') })).events };
    } catch (error) {
      return { error };
    }
  }
}

/** Every byte of a journal takes minutes: FLIP_STEP=1. */
const STEP = Number(process.env['FLIP_STEP'] ?? 7);

/** With one byte changed in turn. */
function* altered(file: string, step = 1): Generator<number> {
  const bytes = readFileSync(file);
  for (let at = 0; at < bytes.length; at += step) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << (at % 8));
    writeFileSync(file, changed);
    yield at;
  }
  writeFileSync(file, bytes);
}

/** At lengths below its own. */
function* cut(file: string, step = 1): Generator<number> {
  const bytes = readFileSync(file);
  for (let length = 0; length < bytes.length; length += step) {
    writeFileSync(file, bytes.subarray(0, length));
    yield length;
  }
  writeFileSync(file, bytes);
}

const complete = new Recording();
const killed = new Recording();

beforeAll(async () => {
  await complete.workspace.record('faults/greeting.mjs');
  await killed.workspace.record('faults/killed.mjs');
  return () => [complete, killed].forEach(({ workspace }) => workspace.remove());
});

describe('one byte altered', { timeout: 300_000 }, () => {
  it('anywhere in a sealed journal', () => {
    for (const at of altered(complete.journal, STEP)) expect(complete.read(), `byte ${at}`).toEqual({ error: expect.any(IntegrityError) });
    expect(complete.read()).toHaveProperty('events');
  });

  it('anywhere in the journal of a process that was killed', () => {
    expect(killed.journal).toMatch(/\.open$/);
    for (const at of altered(killed.journal, STEP)) expect(killed.read(), `byte ${at}`).toEqual({ error: expect.any(IntegrityError) });
    expect(killed.read()).toHaveProperty('events');
  });

  it('anywhere in the manifest', () => {
    for (const at of altered(complete.file('manifest.json'))) expect(complete.read(), `byte ${at}`).toEqual({ error: expect.any(IntegrityError) });
  });

  it('anywhere in the private key', () => {
    const whole = complete.read();
    for (const at of altered(complete.keys)) {
      const outcome = complete.read();
      // Some bits of a key, and of its notation, say nothing.
      if ('error' in outcome) expect(outcome.error, `byte ${at}`).toBeInstanceOf(HarnessError);
      else expect(outcome, `byte ${at}`).toEqual(whole);
    }
  });

  it('is named by every verb', async () => {
    const { workspace, journal } = complete;
    const { length } = readFileSync(journal);
    const places = new Set([0, 9, 100, Math.floor(length / 2), length - 1]);
    for (const at of altered(journal)) {
      if (!places.has(at)) continue;
      for (const verb of ['check', 'replay', 'show']) {
        const { exitCode, stdout, stderr } = await workspace.cli([verb, 'latest']);
        const said = `${stdout}${stderr}`;
        expect({ verb, at, exitCode }, said).toEqual({ verb, at, exitCode: 4 });
        expect(said).toContain(journal);
        expect(said).not.toMatch(/^\s+at /m);
      }
      const listed = await workspace.cli(['runs']);
      expect(listed).toMatchObject({ exitCode: 0 });
      expect(listed.stdout.toString()).toMatch(/damaged/);
    }
  });

  it('names event and byte of the first damage', async () => {
    const { workspace, journal } = complete;
    const bytes = readFileSync(journal);
    writeFileSync(journal, bytes.map((byte, at) => (at > bytes.length - 200 ? byte ^ 1 : byte)));
    const { stdout } = await workspace.cli(['check', 'latest']);
    writeFileSync(journal, bytes);
    const [, event, byte] = /damaged at event (\d+) \(byte (\d+)\)/.exec(stdout.toString()) ?? [];
    expect(Number(event)).toBeGreaterThan(0);
    expect(Number(byte)).toBeLessThanOrEqual(bytes.length - 199);
    expect(Number(byte)).toBeGreaterThan(bytes.length - 400);
  });

  it('of one manifest hides no other run', async () => {
    const workspace = new Workspace();
    await workspace.record('faults/greeting.mjs');
    await workspace.record('faults/greeting.mjs');
    const [first, second] = workspace.runs() as [string, string];
    const file = `${workspace.store}/runs/${second}/manifest.json`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('"exitCode": 0', '"exitCode": 1'));
    const listed = await workspace.cli(['runs', '--json']);
    expect(listed.exitCode).toBe(4);
    expect(listed.stderr.toString()).toMatch(new RegExp(`^replay-harness: \\S*${second}/manifest.json is damaged: [^\\n]+\\n$`));
    expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ id: second, replayable: false }, { id: first, status: 'complete' }]);
    expect(await workspace.cli(['check', '--all'])).toMatchObject({ exitCode: 4 });
    // The newest run is the damaged one: no older one is replayed in its place.
    expect(await workspace.replay('latest')).toMatchObject({ exitCode: 4 });
    expect(await workspace.replay(first)).toMatchObject({ exitCode: 0 });
    workspace.remove();
  });
});

describe('cut off', { timeout: 300_000 }, () => {
  it('at any byte of a sealed journal', () => {
    for (const length of cut(complete.journal, STEP)) expect(complete.read(), `${length} bytes`).toEqual({ error: expect.any(IntegrityError) });
  });

  it('at any byte of the journal of a process that was killed: what is left is read', () => {
    const { events } = killed.read() as { events: LaneEvent[] };
    const lengths = new Set<number>();
    for (const length of cut(killed.journal, STEP)) {
      const outcome = killed.read();
      expect(outcome, `${length} bytes`).toHaveProperty('events');
      const left = (outcome as { events: LaneEvent[] }).events;
      lengths.add(left.length);
      expect(left.length).toBeLessThan(events.length);
      expect(left.at(-1)).toEqual(events[left.length - 1]);
    }
    expect(lengths.size).toBeGreaterThan(events.length / 2);
  });

  it('at any byte of the manifest', () => {
    for (const length of cut(complete.file('manifest.json'))) expect(complete.read(), `${length} bytes`).toEqual({ error: expect.any(IntegrityError) });
  });

  it('a journal of a killed process replays what is left', async () => {
    const { workspace, journal } = killed;
    const bytes = readFileSync(journal);
    for (const length of [0, 5, 300, Math.floor(bytes.length / 2), bytes.length - 1]) {
      writeFileSync(journal, bytes.subarray(0, length));
      const { exitCode, report, stderr } = await workspace.replay();
      expect({ exitCode, verdict: report?.verdict }, stderr.toString()).toEqual({ exitCode: 7, verdict: 'truncated' });
    }
    writeFileSync(journal, bytes);
  });
});
