/** What a program computes of a secret, or holds in its own code: a replay on stand-ins comes to something else there. */
import type { LaneEvent } from '../../model/event.ts';
import { jsonStringify } from '../../runtime/natives.ts';
import { gatherDrafts } from '../../steps/lane/gather.ts';
import type { Masker } from './masker.ts';

export interface Underived {
  /** Number of the event in which it first leaves the program, or arrives. */
  readonly seq: number;
  /** `signature`, `api key`, `SCRAM proof`, `bytes`, … */
  readonly what: string;
  readonly why: string;
}

const NOT_RECEIVED = 'the program was not given it: it computes it (HMAC, signature, JWT) or has it in its code';

export function underivedIn(events: readonly LaneEvent[], masker: Masker): Underived[] {
  const secrets = [...masker.standIns().values()];
  const given = secrets.length > 0 ? givenIn(events) : [];
  const own = secrets.flatMap(({ value, kind }): Underived[] => {
    const seq = firstSent(events, value);
    return seq === undefined || given.some(({ seq: at, holds }) => at < seq && holds(value)) ? [] : [{ seq, what: kind, why: NOT_RECEIVED }];
  });
  return [...own, ...logins(events)].sort((a, b) => a.seq - b.seq);
}

interface Given {
  readonly seq: number;
  readonly holds: (value: string) => boolean;
}

/** What the program was given, raw and as it is read. */
function givenIn(events: readonly LaneEvent[]): Given[] {
  const raw = events.flatMap(({ seq, ...event }): Given[] => {
    if (event.type === 'begin') return [givenText(seq, jsonStringify(event.facts))];
    if (event.type === 'value') return [{ seq, holds: heldBy(event.data) }];
    return event.type === 'delivery' && event.data.length > 0 ? [{ seq, holds: heldBy(event.data) }] : [];
  });
  // Cut in two, or compressed; the answer is there with the last of its events.
  const read = gatherDrafts(events, {}).flatMap(({ seq, boundary, input, output }) => {
    const given = boundary === 'server' ? input : boundary === 'stdout' || boundary === 'stderr' ? null : output;
    return given === null ? [] : [givenText(seq, jsonStringify(given) ?? '')];
  });
  return [...raw, ...read];
}

/** Searching for a text in UTF-16 directly does not end on Node 20 where the bytes are odd in number. */
function heldBy(bytes: Buffer): Given['holds'] {
  return (value) => bytes.includes(value) || bytes.includes(Buffer.from(value, 'utf16le'));
}

function givenText(seq: number, text: string): Given {
  return { seq, holds: (value) => text.includes(jsonStringify(value).slice(1, -1)) };
}

/** @returns the event with which a value first leaves the program, as it is or as the password of a login by HTTP */
function firstSent(events: readonly LaneEvent[], value: string): number | undefined {
  const core = Buffer.from(value).toString('base64').replace(/.{0,3}={0,2}$/, '');
  return events.find((event) => (event.type === 'output' ? event.data.includes(value) || (core.length > 8 && event.data.includes(core)) : event.type === 'start' && event.kind === 'process' && event.key.includes(value)))?.seq;
}

const PROOF = /(?:^|,)p=[A-Za-z0-9+/]{20,}={0,2}$/;

/** Logins that never show the password: what is proved depends on it and on chance. */
function logins(events: readonly LaneEvent[]): Underived[] {
  return events.flatMap((event): Underived[] => {
    if (event.type !== 'output' || event.kind !== 'write' || event.data.length > 4096) return [];
    const text = event.data.latin1Slice();
    if (/c=[A-Za-z0-9+/=]+,r=/.test(text) && PROOF.test(text.replace(/\0+$/, ''))) return [{ seq: event.seq, what: 'SCRAM proof', why: 'it proves the password without showing it' }];
    if (event.data[0] === 0x70 && /^md5[0-9a-f]{32}\0$/.test(text.slice(5))) return [{ seq: event.seq, what: 'MD5 login', why: 'it proves the password without showing it' }];
    if (/\r\nauthorization: (?:AWS4-HMAC-SHA256|Digest|Hawk|OAuth|Signature|SharedKey)\b/i.test(text)) return [{ seq: event.seq, what: 'signed request', why: 'its signature is computed of the secret key' }];
    return [];
  });
}
