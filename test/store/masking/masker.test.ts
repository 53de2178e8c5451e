import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../src/store/masking/masker.ts';
import type { Secret } from '../../../src/store/masking/secret.ts';
import { findLeaks, PLANTED } from '../../support/planted-secrets.ts';

const KEY = Buffer.alloc(32, 7);
const SECRETS = Object.values(PLANTED).map((value): Secret => ({ value, kind: 'secret' }));
const masker = createMasker(SECRETS, KEY);
const standIns = new Map([...masker.standIns().values()].map(({ value, standIn }) => [value, standIn]));
const standInOf = (value: string): string => standIns.get(value) as string;

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  JSON: json,
  'JSON in JSON': (text) => json(json(text)),
  percent: encodeURIComponent,
  'percent, small letters': (text) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  form: (text) => new URLSearchParams([['', text]]).toString().slice(1),
  hex: (text) => Buffer.from(text).toString('hex'),
  'base64 at 0': (text) => Buffer.from(text).toString('base64'),
  'base64 at 1': (text) => Buffer.from(`a${text}bc`).toString('base64'),
  'base64 at 2': (text) => Buffer.from(`ab${text}c`).toString('base64'),
  'base64url at 1': (text) => Buffer.from(`?${text}>>`).toString('base64url'),
  'base64 of JSON': (text) => Buffer.from(JSON.stringify({ key: text })).toString('base64'),
};

describe('a masker', () => {
  for (const [form, encode] of Object.entries(FORMS)) {
    it(`replaces each secret by the same form of its stand-in: ${form}`, () => {
      for (const { value } of SECRETS) {
        const text = `before ${encode(value)} behind`;
        expect(masker.text(text), value).toBe(`before ${encode(standInOf(value))} behind`);
      }
    });
  }

  it('finds none of its own stand-ins, and nothing twice', () => {
    const text = SECRETS.map(({ value }) => value).join('\n');
    const masked = masker.text(text);
    expect(masker.text(masked)).toBe(masked);
    expect(findLeaks(Buffer.from(masked))).toEqual([]);
  });

  it('keeps every length', () => {
    for (const { value } of SECRETS) {
      expect(Buffer.byteLength(standInOf(value)), value).toBe(Buffer.byteLength(value));
      expect(standInOf(value).length).toBe(value.length);
      expect(standInOf(value)).not.toBe(value);
    }
  });

  it('gives one secret one stand-in, and another one for another key', () => {
    const other = createMasker(SECRETS.toReversed(), KEY);
    expect(new Set(other.standIns().keys())).toEqual(new Set(masker.standIns().keys()));
    const foreign = createMasker(SECRETS, Buffer.alloc(32, 8));
    expect([...foreign.standIns().keys()].filter((standIn) => masker.standIns().has(standIn))).toEqual([]);
  });

  it('keeps what tells keys apart, and the make of a key', () => {
    expect(standInOf(PLANTED['openai'] as string)).toMatch(/^sk-proj-Masked\w+F6gA$/);
    expect(standInOf(PLANTED['aws'] as string)).toMatch(/^AKIA[A-Z0-9]{16}$/);
    expect(standInOf(PLANTED['headerKey'] as string)).toMatch(/^[0-9a-f]{28}0e63$/);
    expect(standInOf(PLANTED['apiKeyMember'] as string)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{8}6071$/);
    expect(standInOf(PLANTED['jwt'] as string).split('.').slice(0, 2)).toEqual((PLANTED['jwt'] as string).split('.').slice(0, 2));
    expect(standInOf(PLANTED['rsaKey'] as string)).toMatch(/^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PRIVATE KEY-----$/);
  });

  it('finds what is cut between any two pieces of a stream', () => {
    const text = Buffer.from(SECRETS.map(({ value }, index) => `${index} ${value} ${FORMS['base64 at 1']?.(value)}`).join('\n'));
    const whole = masker.bytes(text);
    for (const size of [1, 7, 100, 4096]) {
      const stream = masker.stream();
      const pieces: Buffer[] = [];
      for (let at = 0; at < text.length; at += size) pieces.push(stream.push(text.subarray(at, at + size)));
      expect(Buffer.concat([...pieces, stream.end()]).equals(whole), `pieces of ${size}`).toBe(true);
    }
  });

  it('looks into what is compressed', () => {
    const text = JSON.stringify({ access_token: PLANTED['gzipped'], note: 'a note that stays' });
    for (const [encoding, pack, unpack] of [['gzip', zlib.gzipSync, zlib.gunzipSync], ['deflate', zlib.deflateSync, zlib.inflateSync], ['deflate', zlib.deflateRawSync, zlib.inflateRawSync], ['br', zlib.brotliCompressSync, zlib.brotliDecompressSync]] as const) {
      expect(unpack(masker.bytes(pack(text), [encoding])).toString()).toBe(masker.text(text));
    }
    expect(zlib.gunzipSync(masker.bytes(zlib.gzipSync(text))).toString()).toBe(masker.text(text));
    expect(masker.json({ body: { base64: zlib.gzipSync(text).toString('base64'), bytes: 1 } })).not.toEqual({ body: { base64: zlib.gzipSync(text).toString('base64'), bytes: 1 } });
  });

  it('finds what is spread over the events of a stream, and what an ellipsis cut off', () => {
    const value = PLANTED['cutByEvent'] as string;
    const events = [...value].map((character) => ({ data: { choices: [{ delta: { content: character } }] } }));
    const masked = masker.json({ events }) as { events: typeof events };
    expect(masked.events.map(({ data }) => data.choices[0]?.delta.content).join('')).toBe(standInOf(value));
    expect(masker.text(`the token is ${value.slice(0, 20)}… → 200`)).toBe(`the token is ${standInOf(value).slice(0, 20)}… → 200`);
    expect(masker.text(`…${value.slice(8)} is it`)).toBe(`…${standInOf(value).slice(8)} is it`);
    expect(masker.text(`…${value.slice(8, 22)}…`)).toBe(`…${standInOf(value).slice(8, 22)}…`);
  });

  it('leaves what is no secret untouched', () => {
    const value = { list: ['\ud800 lone', 'a\0b'], deep: { number: 1n, text: 'x'.repeat(10_000) } };
    expect(masker.json(value)).toBe(value);
    const bytes = randomBytes(1 << 20);
    expect(masker.bytes(bytes)).toBe(bytes);
    expect(masker.text(`\ud800${PLANTED['bearer']}\udc00`)).toBe(`\ud800${standInOf(PLANTED['bearer'] as string)}\udc00`);
  });
});
