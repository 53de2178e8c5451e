/** What is written for other tools and for readers: valid where there is a specification, and without secrets. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { escaped } from '../../src/export/html.ts';
import { execute, type Execution } from '../support/execute.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import { API_KEY, expectWithout, recordedOnA } from './hosts.ts';

const SAMPLES = join(ROOT, 'test/recordings/samples');
const CONTRACT_RISK = '01a228b4-16c8-7aec-a9cf-e1437cc544db';

const cli = (...args: readonly string[]): Promise<Execution> =>
  execute({ program: process.execPath, args: [CLI, ...args, '--store', SAMPLES], cwd: testWorkspace().folder, env: { PATH: process.env['PATH'] as string, REPLAY_HARNESS_IDENTITY: join(ROOT, 'test/recordings/v1/identity') } });

async function written(format: string): Promise<string> {
  const done = await cli('export', CONTRACT_RISK, '--format', format, '--output', '-');
  expect(done, done.stderr.toString()).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  return done.stdout.toString();
}

interface Shown {
  readonly steps: readonly { readonly step: number; readonly kind: string; readonly toolCalls?: readonly { readonly answeredAt: number | null }[] }[];
}

const shown = async (): Promise<Shown> => JSON.parse((await cli('show', CONTRACT_RISK, '--json')).stdout.toString()) as Shown;

it('jsonl: one step a line, as show --json has them', async () => {
  const lines = (await written('jsonl')).trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  const { steps } = await shown();
  expect(lines.map(({ step }) => step)).toEqual(steps.map(({ step }) => step));
  // Secrets aside, which show hints at in its own way.
  const plain = (step: object): object => ({ ...step, input: null, output: null, checksum: null, summary: null, key: null });
  expect(lines.map(({ run: _run, parentRunId: _parent, agent: _agent, lane: _lane, ...step }) => plain(step))).toEqual(steps.map(plain));
  expect(new Set(lines.map(({ run, lane }) => `${String(run)} ${String(lane)}`))).toEqual(new Set([`${CONTRACT_RISK} 0`]));
});

/** Of the specification of HAR 1.2: what has to be there, and of which sort. */
const NAMED = { type: 'array', items: { type: 'object', required: ['name', 'value'], properties: { name: { type: 'string' }, value: { type: 'string' } } } };
const COOKIES = { type: 'array', items: { type: 'object', required: ['name', 'value'], properties: { expires: { type: 'string' }, httpOnly: { type: 'boolean' }, secure: { type: 'boolean' } } } };
const MS = { type: 'number', minimum: 0 };
const OPTIONAL_MS = { type: 'number', minimum: -1 };
const HAR = {
  type: 'object', required: ['log'], properties: { log: {
    type: 'object', required: ['version', 'creator', 'entries'], properties: {
      version: { const: '1.2' },
      creator: { type: 'object', required: ['name', 'version'], properties: { name: { type: 'string' }, version: { type: 'string' } } },
      entries: { type: 'array', items: {
        type: 'object', required: ['startedDateTime', 'time', 'request', 'response', 'cache', 'timings'], patternProperties: { '^_': true }, additionalProperties: false,
        properties: {
          startedDateTime: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }, time: MS, cache: { type: 'object' }, comment: { type: 'string' },
          request: {
            type: 'object', required: ['method', 'url', 'httpVersion', 'cookies', 'headers', 'queryString', 'headersSize', 'bodySize'],
            properties: { method: { type: 'string' }, url: { type: 'string', pattern: '^https?://' }, httpVersion: { type: 'string' }, cookies: COOKIES, headers: NAMED, queryString: NAMED, headersSize: { type: 'integer' }, bodySize: { type: 'integer' }, postData: { type: 'object', required: ['mimeType', 'params', 'text'], properties: { mimeType: { type: 'string' }, text: { type: 'string' }, params: { type: 'array' } } } },
          },
          response: {
            type: 'object', required: ['status', 'statusText', 'httpVersion', 'cookies', 'headers', 'content', 'redirectURL', 'headersSize', 'bodySize'],
            properties: { status: { type: 'integer' }, statusText: { type: 'string' }, httpVersion: { type: 'string' }, cookies: COOKIES, headers: NAMED, redirectURL: { type: 'string' }, headersSize: { type: 'integer' }, bodySize: { type: 'integer' }, content: { type: 'object', required: ['size', 'mimeType'], properties: { size: { type: 'integer', minimum: 0 }, mimeType: { type: 'string' }, text: { type: 'string' }, encoding: { const: 'base64' }, compression: { type: 'integer' } } } },
          },
          timings: { type: 'object', required: ['send', 'wait', 'receive'], properties: { blocked: OPTIONAL_MS, dns: OPTIONAL_MS, connect: OPTIONAL_MS, ssl: OPTIONAL_MS, send: MS, wait: MS, receive: MS } },
        },
      } },
    },
  } },
};

interface Entry {
  readonly request: { readonly url: string; readonly queryString: readonly { readonly name: string; readonly value: string }[]; readonly headers: readonly { readonly name: string; readonly value: string }[]; readonly postData?: { readonly text: string } };
  readonly response: { readonly status: number; readonly content: { readonly text: string; readonly size: number; readonly encoding?: string } };
  readonly startedDateTime: string;
}

describe('har', () => {
  const isHar = new Ajv({ allErrors: true, strict: false }).compile(HAR);
  const entriesOf = (text: string): readonly Entry[] => {
    const har = JSON.parse(text) as { log: { entries: readonly Entry[] } };
    expect(isHar(har), JSON.stringify(isHar.errors)).toBe(true);
    expect(har.log.entries.map(({ startedDateTime }) => startedDateTime)).toEqual(har.log.entries.map(({ startedDateTime }) => startedDateTime).sort());
    return har.log.entries;
  };

  it('of a recorded sample', async () => expect(entriesOf(await written('har'))).toHaveLength(4));

  it('has requests and answers whole, inflated, and in base64 where they are no text', async () => {
    const { a, run } = await recordedOnA('export/asks.mjs');
    const entries = entriesOf((await a.cli(['export', run, '--format', 'har', '--output', '-'])).stdout.toString());
    expect(entries.map(({ response: { status } }) => status)).toEqual([200, 200, 200, 0]);
    const [asked, zipped, bytes, unanswered] = entries as [Entry, Entry, Entry, Entry];
    expect(asked.request.queryString).toEqual([{ name: 'q', value: 'a b' }, { name: 'd', value: '0' }]);
    expect(JSON.parse(asked.request.postData?.text as string)).toEqual({ question: 'who?' });
    expect(JSON.parse(asked.response.content.text)).toMatchObject({ method: 'POST' });
    expect(zipped.response.content).toMatchObject({ text: expect.stringMatching(/^\{/) as string });
    expect(bytes.response.content).toMatchObject({ encoding: 'base64', size: 256 });
    expect(Buffer.from(bytes.response.content.text, 'base64')).toHaveLength(256);
    expect(unanswered).toMatchObject({ comment: expect.stringContaining('aborted') as string, request: { url: expect.stringMatching(/\/hang$/) as string } });
  });
});

/** The registry's names, as of version 1.38 of the semantic conventions. */
const GEN_AI = new Set([
  'agent.id', 'agent.name', 'conversation.id', 'input.messages', 'operation.name', 'output.messages', 'provider.name', 'request.choice.count', 'request.frequency_penalty', 'request.max_tokens', 'request.model', 'request.presence_penalty', 'request.seed',
  'request.temperature', 'request.top_p', 'response.finish_reasons', 'response.id', 'response.model', 'tool.call.arguments', 'tool.call.id', 'tool.call.result', 'tool.definitions', 'tool.name', 'tool.type', 'usage.cache_read.input_tokens', 'usage.input_tokens', 'usage.output_tokens',
].map((name) => `gen_ai.${name}`));

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

describe('otel', () => {
  const spansOf = (text: string): readonly Span[] => (JSON.parse(text) as { resourceSpans: readonly { scopeSpans: readonly { spans: readonly Span[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const valueOf = (span: Span | undefined, name: string): unknown => {
    const value = span?.attributes.find(({ key }) => key === name)?.value;
    return value && Object.values(value)[0];
  };

  it('one trace, with the spans of the conventions', async () => {
    const spans = spansOf(await written('otel'));
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    for (const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, attributes, kind } of spans) {
      expect(traceId).toBe(CONTRACT_RISK.replaceAll('-', ''));
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      if (parentSpanId !== undefined) expect(ids).toContain(parentSpanId);
      expect(startTimeUnixNano).toMatch(/^\d{19}$/);
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
      expect([1, 2, 3]).toContain(kind);
      expect(attributes.filter(({ key }) => key.startsWith('gen_ai.') && !GEN_AI.has(key))).toEqual([]);
      expect(new Set(attributes.map(({ key }) => key)).size).toBe(attributes.length);
      for (const { value } of attributes) expect(Object.keys(value)).toHaveLength(1);
    }
    const { steps } = await shown();
    const models = spans.filter((span) => valueOf(span, 'gen_ai.operation.name') === 'chat');
    expect(models).toHaveLength(steps.filter(({ kind }) => kind === 'llm').length);
    expect(spans.filter((span) => valueOf(span, 'gen_ai.operation.name') === 'execute_tool')).toHaveLength(steps.flatMap(({ toolCalls = [] }) => toolCalls.filter(({ answeredAt }) => answeredAt !== null)).length);
    const answered = models.find((span) => valueOf(span, 'gen_ai.output.messages') !== undefined);
    expect(answered).toMatchObject({ kind: 3, name: expect.stringMatching(/^chat \S/) as string });
    const parts = JSON.parse(String(valueOf(answered, 'gen_ai.input.messages'))) as { role: string; parts: { type: string }[] }[];
    expect(parts.every(({ role, parts: own }) => typeof role === 'string' && own.every(({ type }) => typeof type === 'string'))).toBe(true);
    expect(JSON.parse(String(valueOf(answered, 'gen_ai.output.messages')))).toMatchObject([{ role: 'assistant', finish_reason: expect.any(String) as string }]);
    expect(valueOf(answered, 'gen_ai.usage.input_tokens')).toMatch(/^\d+$/);
  });
});

describe('html', () => {
  it('one page that asks for nothing from elsewhere', async () => {
    const page = await written('html');
    expect(page).not.toMatch(/<script|<link|<img|<iframe|<object|<embed|\ssrc=|\shref=|url\(|@import/i);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain(CONTRACT_RISK);
    expect(page.match(/<details/g)).toHaveLength((await shown()).steps.length);
  });

  it('what a program prints stays text', async () => {
    const { a, run } = await recordedOnA('export/prints-markup.mjs', { args: ['"><img src=x onerror=alert(1)>'] });
    const page = (await a.cli(['export', run, '--format', 'html', '--output', '-'])).stdout.toString();
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toMatch(/<script|<img|<\/pre><b|\u202e|\u001b/);
    const tags = new Set([...page.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag = '']) => tag.toLowerCase()));
    expect([...tags].sort()).toEqual(['!doctype', 'body', 'dd', 'details', 'dl', 'dt', 'footer', 'h1', 'h3', 'head', 'html', 'meta', 'pre', 'span', 'style', 'summary', 'title']);
  });
});

it('what no page can hold is written as an escape', () => {
  expect(escaped('a\u0000b\ud800c\u202ed\u0007<é漢😀\n')).toBe('a\\u0000b\\ud800c\\u202ed\\u0007&#60;é漢😀\n');
});

it('a pipe or a device takes what is written, and stays what it is', async () => {
  const pipe = testWorkspace().path('pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = execute({ program: 'cat', args: [pipe], cwd: ROOT, env: { PATH: process.env['PATH'] as string } });
  const done = await cli('export', CONTRACT_RISK, '--format', 'jsonl', '--output', pipe);
  expect(done.exitCode, done.stderr.toString()).toBe(0);
  expect(statSync(pipe).isFIFO()).toBe(true);
  expect((await reader).stdout.toString()).toBe(await written('jsonl'));
});

it('no format has a secret in it', async () => {
  const { a, run } = await recordedOnA();
  for (const [format, ending] of [['jsonl', 'jsonl'], ['otel', 'otel.json'], ['har', 'har'], ['html', 'html']] as const) {
    const done = await a.cli(['export', run, '--format', format]);
    expect(done.exitCode, done.stderr.toString()).toBe(0);
    const bytes = readFileSync(a.path(`${run}.${ending}`));
    expect(bytes.length).toBeGreaterThan(500);
    expectWithout(bytes, API_KEY);
  }
});

describe('what is asked for wrongly', () => {
  it.each([
    [['--format', 'pdf'], /takes bundle, jsonl, otel, har, html/], [['--format', 'har', '--with-secrets'], /can be read by anybody/], [['--recipient', `rh-recipient-${'A'.repeat(43)}`], /goes with --with-secrets/],
    [['--with-secrets', '--recipient', 'somebody'], /begins with rh-recipient-/],
  ])('%j', async (args, says) => {
    const refused = await cli('export', CONTRACT_RISK, ...args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: Buffer.alloc(0) });
    expect(refused.stderr.toString()).toMatch(says);
  });

  it('a place that cannot be written', async () => {
    const refused = await cli('export', CONTRACT_RISK, '--output', '/proc/nowhere/x');
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr.toString()).toMatch(/cannot be written/);
  });
});
