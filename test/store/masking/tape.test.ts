import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import type { LaneEvent } from '../../../src/model/event.ts';
import { interpret, type Step } from '../../../src/steps/classify.ts';
import { EmbeddedStore } from '../../../src/store/embedded.ts';
import { identities } from '../../../src/store/keyring.ts';
import { findSecrets, maskerFor } from '../../../src/store/masking/find-secrets.ts';
import type { Masker } from '../../../src/store/masking/masker.ts';
import { type MaskedTape, maskTape } from '../../../src/store/masking/tape.ts';
import { INNOCENT, recordPlanted } from '../../support/planted-run.ts';
import { coveredBySecrets, findLeaks, PLANTED } from '../../support/planted-secrets.ts';
import { Workspace } from '../../support/workspace.ts';

const MASK = [{ json: '$.internal.code' }];

let workspace: Workspace;
let events: LaneEvent[];
let masker: Masker;
let masked: MaskedTape;

beforeAll(async () => {
  workspace = new Workspace();
  const recorded = await recordPlanted(workspace);
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0 });
  expect(recorded.stdout.toString()).toContain('innocent true');
  const store = new EmbeddedStore(workspace.store);
  const tape = store.tape(store.find('latest'), identities({ XDG_CONFIG_HOME: workspace.path('config') }));
  ({ events } = tape);
  masker = maskerFor([events], { mask: MASK, key: tape.runKey });
  masked = maskTape(events, masker);
});

afterAll(() => workspace.remove());

const bytesOf = (tape: readonly LaneEvent[]): Buffer => Buffer.concat(tape.flatMap((event) => {
  const { data, ...fields } = { data: Buffer.alloc(0), ...event };
  return [Buffer.from(`${JSON.stringify(fields)}\n`), data, Buffer.from('\n')];
}));

describe('the secrets of a run', () => {
  it('are found in every place', () => {
    const found = new Set(findSecrets(events, MASK).map(({ value }) => value));
    expect(Object.entries(PLANTED).filter(([, value]) => !found.has(value)).map(([name]) => name)).toEqual([]);
  });

  it('are nothing else', () => {
    const planted = Object.values(PLANTED);
    expect(findSecrets(events, MASK).map(({ value }) => value).filter((value) => !planted.some((secret) => secret === value || decodeURIComponent(secret.replaceAll('%', encodeURIComponent('%')).replaceAll('%253A', '%3A')) === value))).toEqual([]);
  });
});

describe('a tape with stand-ins', () => {
  it('holds none of the secrets, in no form', () => {
    expect(findLeaks(bytesOf(events)).length).toBeGreaterThan(Object.keys(PLANTED).length);
    expect(findLeaks(bytesOf(masked.events))).toEqual([]);
  });

  it('has the same events in the same order', () => {
    const shape = ({ seq, type, ...event }: LaneEvent): unknown => [seq, type, 'kind' in event ? event.kind : null, 'operation' in event ? event.operation : null];
    expect(masked.events.map(shape)).toEqual(events.map(shape));
  });

  it('reads as the same steps, and nothing else has changed in them', () => {
    const [before, after] = [interpret(events), interpret(masked.events)];
    const shape = ({ step, kind, boundary }: Step): unknown => ({ step, kind, boundary });
    expect(after.map(shape)).toEqual(before.map(shape));
    const bodies = (steps: readonly Step[]): unknown[] => steps.flatMap(({ name, input, output }) => (name.endsWith('/echo') ? [(input as { body: unknown }).body, (output as { body: unknown }).body] : []));
    expect(bodies(after)).toEqual([JSON.parse(INNOCENT), JSON.parse(INNOCENT)]);
    const packed = (steps: readonly Step[]): unknown[] => steps.flatMap(({ name, output }) => (name.includes('/packed/') ? [(output as { body: unknown }).body] : []));
    expect(packed(after)).toEqual(packed(before).map((body) => masker.json(body)));
  });

  it('asks with the stand-in of the token that came with the answer before', () => {
    const standIn = [...masker.standIns().values()].find(({ value }) => value === PLANTED['answerToken'])?.standIn as string;
    const text = bytesOf(masked.events).latin1Slice();
    expect(text).toContain(`{"access_token":"${standIn}"`);
    expect(text.toLowerCase()).toContain(`authorization: bearer ${standIn.toLowerCase()}`);
    expect(text).toContain(`token ${standIn.length} ${PLANTED['answerToken']?.slice(-4)}`);
  });

  it('names what the program has of itself', () => {
    const { underived } = masked;
    expect(underived.length).toBeGreaterThan(0);
    // The planted module is code: what only stands there is not received.
    const given = ['answerToken', 'refreshToken', 'setCookie', 'ownVariable', 'argument'];
    expect(underived.every(({ seq, what, why }) => seq > 0 && what !== '' && why !== '')).toBe(true);
    expect(underived.length).toBeLessThanOrEqual(Object.keys(PLANTED).length - given.length);
  });

  it('leaves more than 99.9 % of all bytes that belong to no secret', () => {
    const before = bytesOf(events);
    const after = Buffer.from(before);
    masker.pieces([after]);
    const covered = coveredBySecrets(before);
    const others = before.length - covered.reduce((sum, is) => sum + is, 0);
    const changed = after.reduce((sum, byte, at) => sum + Number(byte !== before[at] && covered[at] === 0), 0);
    console.log(`${before.length} bytes, ${before.length - others} of them of planted secrets; ${changed} of the ${others} others changed`);
    expect(others).toBeGreaterThan(900_000);
    expect(changed / others).toBeLessThan(0.001);
  });
});
