/** The JSON Schema that editors use and the check that the harness makes are two descriptions of one thing. */
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { CONFIG_KEYS, parseConfig } from '../../src/model/config.ts';
import { read } from './sources.ts';

const schema = JSON.parse(read('replay-harness.schema.json')) as { readonly properties: Readonly<Record<string, unknown>> };
const validate = new Ajv({ allErrors: true }).compile(schema);
const VALUES: readonly unknown[] = [
  'text', '', 0, 0.5, 1, 2, -1, true, null, [], ['text'], [1], {}, { key: 'text' }, { key: 1 }, { '*.read': 'read-only' }, { key: 'side-effect' }, { sharp: 'pure' }, { sharp: 'impure' },
  [{ header: 'x-key' }], [{ header: 'x', json: '$.y' }], [{ json: '$.y' }, { pattern: 'z' }], [{ cookie: 'x' }], [{ file: 1 }], [{}],
  { endpoint: 'http://host/v1' }, { endpoint: 'http://host/v1', model: 'm', apiKeyEnv: 'KEY' }, { model: 'm' }, { queries: 'sql' }, { queries: 1 },
  [{ header: '' }], [{ pattern: '[a-z]+' }],
  ...['query', 'form', 'env', 'file'].map((name) => [{ [name]: 'x' }]),
  { payload: '30d' }, { payload: 'soon' }, { payload: '0d' }, { payload: 30 }, { archive: 'forever', to: 's3://bucket/runs', s3: { endpoint: 'http://127.0.0.1:9000', region: 'x' } }, { to: '' }, { s3: { key: 'x' } },
  { incidents: { payload: '2y' } }, { incidents: { keep: '2y' } }, { tags: { incident: { archive: '1y' }, 'env=prod': {} } }, { tags: { env: '1y' } },
  { disk: '2GiB' }, { disk: '1.5 GB' }, { disk: 'none' }, { disk: 0 }, { disk: -1 }, { disk: 1.5 }, { disk: '2 gigs' }, { disk: null },
];

function isAccepted(config: unknown): boolean {
  try {
    parseConfig(JSON.stringify(config), 'replay-harness.json');
    return true;
  } catch {
    return false;
  }
}

test('both know the same keys', () => {
  expect(Object.keys(schema.properties).filter((key) => key !== '$schema').sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
});

test.each(Object.keys(CONFIG_KEYS))('both take the same values of "%s"', (key) => {
  const verdicts = VALUES.map((value) => ({ value, schema: validate({ [key]: value }), harness: isAccepted({ [key]: value }) }));
  expect(verdicts.filter((verdict) => verdict.schema !== verdict.harness)).toEqual([]);
  expect(verdicts.some((verdict) => verdict.harness)).toBe(true);
  expect(verdicts.some((verdict) => !verdict.harness)).toBe(true);
});

test.each([{ unknown: 1 }, [], 'text', { $schema: './replay-harness.schema.json' }, {}])('both agree on %j', (config) => {
  expect(validate(config)).toBe(isAccepted(config));
});

test('a mask rule whose pattern is no regular expression is refused', () => {
  expect(isAccepted({ mask: [{ pattern: '(' }] })).toBe(false);
});
