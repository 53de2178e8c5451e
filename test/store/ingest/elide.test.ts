/** Readings by reference: exact when put together again, and a growing conversation is stored once. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Blob, decodeBlob, encodeBlob } from '../../../src/store/ingest/blob-codec.ts';
import { Elider, namedIn, restore } from '../../../src/store/ingest/elide.ts';
import { escapeText, unescapeText } from '../../../src/store/ingest/jsonb-text.ts';
import { listOf, type Manifest, ManifestWriter } from '../../../src/store/ingest/manifests.ts';
import { type Addition, membersIn, type Pack, Packer, type Part, rangeIn } from '../../../src/store/ingest/packs.ts';

const ODD = ['', '\0', 'a\0b', '\ud800', '\udc00\ud800', '😀', 'x\ud83dy', '␛0000', '␛', '␛␛d800', 'é\u2028', '\ud83d\ude00\ud83d'];

test('text that JSONB refuses is escaped, and comes back', () => {
  for (const text of ODD) {
    const escaped = escapeText(text);
    expect(escaped.isWellFormed() && !escaped.includes('\0')).toBe(true);
    expect(unescapeText(escaped)).toBe(text);
  }
  expect(escapeText('plain 😀')).toBe('plain 😀');
});

test('blobs come back; an altered one is found', () => {
  for (const content of [Buffer.alloc(0), Buffer.from('x'), Buffer.from('long '.repeat(1000)), Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 * (i % 13)) & 0xff))]) {
    const blob = encodeBlob(content);
    expect(decodeBlob(blob).equals(content)).toBe(true);
    const altered = Buffer.from(blob.bytes);
    const middle = altered.length >> 1;
    altered[middle] = ~(altered[middle] ?? 0);
    if (altered.length > 0) expect(() => decodeBlob({ ...blob, bytes: altered })).toThrow(/damaged/);
    expect(() => decodeBlob({ ...blob, size: blob.size + 1 })).toThrow(/damaged/);
  }
  const bomb = { ...encodeBlob(Buffer.alloc(10_000_000)), size: 100 };
  expect(() => decodeBlob(bomb)).toThrow(/damaged/);
});

test('manifests say only what is new, and every list comes back', () => {
  const writer = new ManifestWriter();
  const manifests: Manifest[] = [];
  const lists: string[][] = [];
  const add = (list: readonly string[]): Manifest => {
    const manifest = writer.add(lists.length, [...list]);
    manifests.push(manifest);
    lists.push([...list]);
    return manifest;
  };
  const [one, other] = [['system'], ['system of another']];
  for (let turn = 0; turn < 200; turn++) {
    one.push(`question ${turn}`, `answer ${turn}`);
    other.push(`order ${turn}`);
    if (turn === 0) expect(add(one)).toEqual({ step: 0, root: 0, kept: 0, added: one });
    else expect(add(one)).toMatchObject({ root: 0, added: [`question ${turn}`, `answer ${turn}`] });
    add(other);
    // Tried again.
    if (turn % 50 === 0) expect(add(other)).toMatchObject({ kept: turn + 2, added: [] });
  }
  expect(add(one.slice(0, 10))).toMatchObject({ kept: 0, added: one.slice(0, 10) });
  expect(add([])).toMatchObject({ kept: 0, added: [] });
  expect(add([...one.slice(0, 10), 'another way'])).toMatchObject({ kept: 10, added: ['another way'] });
  expect(add(one)).toMatchObject({ root: 0, kept: 401, added: [] });
  for (const [step, list] of lists.entries()) expect(listOf(step, manifests)).toEqual(list);
});

function sourceOf(...parts: readonly (readonly Blob[])[]): (hash: string) => Blob {
  const blobs = new Map(parts.flat().map((blob) => [blob.hash, blob]));
  return (hash) => blobs.get(hash) as Blob;
}

function reassemble(value: unknown, ofModel = false): unknown {
  const { text, blobs } = new Elider().elide(value, ofModel);
  return text === null ? value : restore(JSON.parse(text), sourceOf(blobs));
}

test('any value comes back as JSON shows it', () => {
  const image = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i) & 0xff));
  const proto = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as unknown;
  const values: unknown[] = [
    ...ODD, ...ODD.map((text) => text + 'y'.repeat(2000) + text), 1, 1.5, -0.1, true, false, [], {}, [[[]]], [1, null, 'x'], { a: undefined, b: [undefined, NaN, Infinity] }, proto,
    { base64: image.toString('base64'), bytes: image.length }, { base64: 'not base64'.repeat(300), bytes: 7 }, { base64: image.toString('base64'), bytes: image.length, more: 1 },
    { $text: 'of the program' }, { $literal: { $bytes: 'x' } }, { a: { $json: 'y' } }, { 'k\0ey\ud800': 1 },
    { messages: Array.from({ length: 30 }, (_, i) => ({ role: 'user', content: `${i} ${'word '.repeat(i * 20)}`, list: [{ $text: 'x' }] })) },
    { vector: Array.from({ length: 5000 }, (_, i) => i / 7) }, { rows: Array.from({ length: 2000 }, (_, i) => ({ i, name: `row ${i}` })) },
    Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`name ${i}`, `value ${i}`])),
  ];
  for (const value of values) for (const ofModel of [true, false]) expect(reassemble(value, ofModel)).toEqual(JSON.parse(JSON.stringify(value)));
});

test('keys keep their order', () => {
  const value = { z: 1, a: 'x'.repeat(3000), m: { q: 1, b: 2 } };
  expect(JSON.stringify(reassemble(value))).toBe(JSON.stringify(value));
});

test('what is large is named where it stood, and is handed out once', () => {
  const elider = new Elider();
  const { text, blobs } = elider.elide({ a: 'x'.repeat(3000), b: { $text: 'no name' }, c: [{ d: 'y'.repeat(3000) }] });
  expect(namedIn(JSON.parse(text as string))).toEqual([...blobs.map(({ hash }) => hash).slice(0, 1), 'no name', ...blobs.map(({ hash }) => hash).slice(1)].filter((hash) => hash !== 'no name'));
  expect(blobs).toHaveLength(2);
  expect(elider.elide({ again: 'x'.repeat(3000) }).blobs).toEqual([]);
});

test('a chat of 50 steps is at least 60 times smaller than its JSON for each step, and comes back', () => {
  const text = ['recording', 'replay', 'steps', 'benchmarks', 'journal-format', 'architecture', 'sandbox', 'cli', 'keys'].map((name) => readFileSync(`docs/${name}.md`, 'utf8')).join('\n');
  let at = 0;
  const prose = (length: number): string => text.slice(at, (at += length));
  const messages: object[] = [{ role: 'system', content: prose(3000) }];
  const [elider, writer] = [new Elider(), new ManifestWriter()];
  const [blobs, additions, lists]: [Blob[], Addition[], object[][]] = [[], [], []];
  let whole = 0;
  for (let step = 0; step < 50; step++) {
    messages.push({ role: 'user', content: prose(1000) });
    whole += JSON.stringify({ model: 'gpt-4o', messages, temperature: 0 }).length;
    const { hashes, blobs: short, long } = elider.members(messages);
    additions.push({ lane: 0, manifest: writer.add(step, hashes), long, isThere: false });
    blobs.push(...short);
    lists.push([...messages]);
    messages.push({ role: 'assistant', content: prose(1000) });
  }
  const { packs, parts } = new Packer().add(additions);
  blobs.push(...packs.map(({ blob }) => blob));
  // Of each row the bytes, and what the columns beside them take.
  const stored = blobs.reduce((sum, { bytes }) => sum + bytes.length + 48, 0) + parts.reduce((sum, { added }) => sum + 60 + added.reduce((bytes, element) => bytes + element.length + 4, 0), 0);
  console.log(`50 steps, ${Math.round(whole / 50)} bytes each on average: ${(whole / stored).toFixed(1)} times smaller`);
  expect(text.length).toBeGreaterThan(at);
  expect(whole / stored).toBeGreaterThan(60);
  const members = membersOf(packs, parts);
  for (const [step, list] of lists.entries()) {
    const { root, kept, added } = (additions[step] as Addition).manifest;
    expect(root).toBe(0);
    expect(members.slice(0, kept + added.length).map((json) => restore(JSON.parse(json), sourceOf(blobs)))).toEqual(list);
  }
});

/** The JSON of all members of the one list that there is. */
function membersOf(packs: readonly Pack[], parts: readonly Part[]): string[] {
  return parts.flatMap(({ added }) => added.flatMap((element) => {
    const { pack, from, count } = rangeIn(element) as NonNullable<ReturnType<typeof rangeIn>>;
    return membersIn(decodeBlob((packs[pack] as Pack).blob)).slice(from, from + count);
  }));
}

test('packs: short members stay blobs, what was packed is not packed again, and what is there gets no new part', () => {
  const [elider, packer] = [new Elider(), new Packer()];
  const long = (name: string): object => ({ role: 'user', content: `${name} ${'x'.repeat(300)}` });
  const [one, two, three] = [elider.members([long('a'), { short: 1 }, long('b')]), elider.members([long('b'), long('a'), long('c')]), elider.members([long('d')])];
  expect(one.blobs.map(({ codec }) => codec)).toEqual(['json']);
  expect([one.long.length, two.long.length]).toEqual([2, 1]);
  const addition = (step: number, { hashes, long: fresh }: typeof one, isThere = false): Addition => ({ lane: 0, manifest: { step, root: step, kept: 0, added: hashes }, long: fresh, isThere });
  const first = packer.add([addition(1, one, true), addition(2, two)]);
  expect(first.packs.map(({ number, step }) => [number, step])).toEqual([[0, 1]]);
  expect(first.parts.map(({ step, added }) => [step, added.map(rangeIn)])).toEqual([[2, [{ pack: 0, from: 1, count: 1 }, { pack: 0, from: 0, count: 1 }, { pack: 0, from: 2, count: 1 }]]]);
  const second = packer.add([addition(3, { ...one, long: [] }), addition(4, three)]);
  expect(second.packs.map(({ number, step }) => [number, step])).toEqual([[1, 4]]);
  expect(second.parts.map(({ added }) => added.map((element) => rangeIn(element) ?? element.length))).toEqual([[{ pack: 0, from: 0, count: 1 }, 32, { pack: 0, from: 1, count: 1 }], [{ pack: 1, from: 0, count: 1 }]]);
  // What a value of the same bytes names is a blob, also where a message of them was packed before.
  expect(elider.elide({ large: 'y'.repeat(2000) }).blobs.length).toBe(1);
  expect(elider.elide(JSON.stringify(long('a')).padEnd(1100)).blobs.length).toBe(1);
});
