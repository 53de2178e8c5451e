import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage, encodePlain } from '../../src/model/message.ts';

const twice = { name: 'the same object' };
const holey: unknown[] = Object.assign([1], { length: 3 });

describe('a message that has arrived', () => {
  it.each([
    ['a text', 'a text with ü, ✓ and a lone surrogate \ud800'], ['an empty text', ''], ['a number', -1.5e300], ['nothing', null], ['yes', true],
    ['a tree', { call: 3, answer: { texts: ['a', 'b', []], none: null }, list: [[{ deep: [0] }]] }],
    ['members in the order of numbers', { b: 1, 10: 2, a: 3, 2: 4 }], ['a member called __proto__', JSON.parse('{"__proto__":{"x":1},"y":2}') as unknown],
  ])('%s: comes back from JSON as it is', (_, message) => {
    const data = encodePlain(message) as Buffer;
    const { value, ports } = decodeMessage(data, () => ({}));
    expect(value).toStrictEqual(message);
    expect(JSON.stringify(value)).toBe(JSON.stringify(message));
    expect(Object.keys(Object(value) as object)).toEqual(Object.keys(Object(message) as object));
    expect(ports).toEqual([]);
  });

  it.each([
    ['undefined', undefined], ['an undefined member', { there: undefined }], ['an object that is there twice', [twice, twice]], ['a hole', holey], ['a list with a name', Object.assign([1], { name: 'list' })],
    ['minus zero', [-0]], ['no number', { figure: NaN }], ['a bigint', 1n], ['a date', new Date(0)], ['a map', new Map([[1, 2]])], ['bytes', new Uint8Array(3)], ['an error', new Error('no')],
    ['a member called toJSON', { toJSON: 'text' }], ['much text', 'x'.repeat(100_000)], ['many values', Array.from({ length: 1000 }, (_, index) => index)],
  ])('%s: is cloned', (_, message) => {
    expect(encodePlain(message)).toBeUndefined();
    expect(decodeMessage(encodeMessage(message).bytes, () => ({})).value).toStrictEqual(message);
  });

  it('that an object of the program gives a text of its own to is cloned', () => {
    const prototype = Object.prototype as { toJSON?: () => string };
    prototype.toJSON = () => 'another text';
    try {
      expect(encodePlain({ text: 'this one' })).toBeUndefined();
    } finally {
      delete prototype.toJSON;
    }
  });
});
