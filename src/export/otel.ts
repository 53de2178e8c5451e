/**
 * A run as a trace in OTLP JSON (https://opentelemetry.io/docs/specs/otlp/), with the attribute names of the semantic
 * conventions for generative AI. Reads of the clock, random values and the like have no span.
 */
import { bufferFrom, jsonStringify, nativeCrypto, NativeDate } from '../runtime/natives.ts';
import type { AnswerMessage, LlmInput, LlmOutput, Message } from '../steps/providers/provider.ts';
import type { ModelToolCall, Step } from '../steps/step.ts';
import { asNumber, asObject, asText } from '../steps/json.ts';
import type { ReadableLane, ReadableRun } from './readable-run.ts';

const SCHEMA = 'https://opentelemetry.io/schemas/1.38.0';
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/** As the conventions name those that they know. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', bedrock: 'aws.bedrock' };

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number; readonly message: string };
}

interface Attribute {
  readonly key: string;
  readonly value: unknown;
}

/** The first run is the root of the trace. */
export function toOtel(runs: readonly ReadableRun[], version: string): string {
  const trace = runs[0]?.id.replaceAll('-', '') ?? '';
  const known = new Set(runs.map(({ id }) => id));
  const resourceSpans = runs.map((run) => ({
    resource: {
      attributes: attributes({ 'service.name': run.agent, 'service.instance.id': run.id, 'process.command_args': run.command, 'process.runtime.name': 'nodejs', 'process.runtime.version': run.node.replace(/^v/, ''), ...prefixed('replay_harness.tag.', run.tags) }),
    },
    scopeSpans: [{ scope: { name: 'replay-harness', version }, spans: spansOf(run, trace, run.parentRunId !== null && known.has(run.parentRunId) ? spanId(run.parentRunId) : undefined), schemaUrl: SCHEMA }],
    schemaUrl: SCHEMA,
  }));
  return `${jsonStringify({ resourceSpans })}\n`;
}

function spansOf(run: ReadableRun, traceId: string, parent: string | undefined): Span[] {
  const start = nanos(run.startedAt, 0);
  const root: Span = {
    traceId,
    spanId: spanId(run.id),
    ...(parent !== undefined && { parentSpanId: parent }),
    name: `invoke_agent ${run.agent}`,
    kind: INTERNAL,
    startTimeUnixNano: start,
    endTimeUnixNano: nanos(run.startedAt, run.durationMs ?? 0),
    attributes: attributes({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': run.agent, 'gen_ai.agent.id': run.agent, 'gen_ai.conversation.id': run.id, 'gen_ai.provider.name': providerOf(run), 'replay_harness.run': run.id, 'replay_harness.workflow': run.name, 'process.exit.code': run.exitCode }),
    ...(run.exitCode === 0 && run.signal === null ? {} : { status: { code: ERROR, message: run.signal !== null ? `ended by ${run.signal}` : run.exitCode === null ? `the recording is ${run.status}` : `exit code ${run.exitCode}` } }),
  };
  return [root, ...run.lanes.flatMap((lane) => lane.steps.filter(isShown).flatMap((step) => [spanOf(run, lane, step, traceId), ...toolSpans(run, lane, step, traceId)]))];
}

function isShown({ kind }: Step): boolean {
  return kind === 'llm' || kind === 'tool' || kind === 'message';
}

function spanOf(run: ReadableRun, { lane }: ReadableLane, step: Step, traceId: string): Span {
  const { name, kind, given } = described(step);
  return {
    traceId,
    spanId: spanId(run.id, lane, step.step),
    parentSpanId: spanId(run.id),
    name,
    kind,
    startTimeUnixNano: nanos(step.startedAt, 0),
    endTimeUnixNano: nanos(step.startedAt, step.latencyMs ?? 0),
    attributes: attributes({ ...given, 'error.type': step.error?.code, 'replay_harness.run': run.id, 'replay_harness.lane': lane, 'replay_harness.step': step.step, 'replay_harness.boundary': step.boundary }),
    ...(step.error && { status: { code: ERROR, message: step.error.message } }),
  };
}

function described(step: Step): { readonly name: string; readonly kind: number; readonly given: Readonly<Record<string, unknown>> } {
  const input = asObject(step.input);
  const output = asObject(step.output);
  if (step.kind === 'llm') return modelCall(step);
  if (asText(input['tool']) !== null) {
    const tool = asText(input['tool']);
    return { name: `execute_tool ${tool}`, kind: CLIENT, given: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool, 'gen_ai.tool.type': 'extension', 'gen_ai.tool.call.arguments': json(input['args']), 'gen_ai.tool.call.result': json(output['result']), 'mcp.method.name': 'tools/call' } };
  }
  if (asText(input['method']) !== null && asText(input['url']) !== null) {
    const url = asText(input['url']) ?? '';
    const inbound = step.boundary === 'server';
    return { name: asText(input['method']) ?? '', kind: inbound ? SERVER : CLIENT, given: { 'http.request.method': input['method'], 'url.full': url, ...addressOf(url), 'http.response.status_code': asNumber(output['status']) } };
  }
  if (asText(input['sql']) !== null) return { name: step.name, kind: CLIENT, given: { 'db.system.name': step.boundary === 'sqlite' ? 'sqlite' : 'postgresql', 'db.query.text': input['sql'], 'db.response.returned_rows': asNumber(output['rowCount']) } };
  if (step.boundary === 'child_process') return { name: step.name, kind: INTERNAL, given: { 'process.command': asText(input['command']), 'process.exit.code': asNumber(output['exitCode']) } };
  return { name: step.name, kind: step.kind === 'message' ? SERVER : INTERNAL, given: { 'replay_harness.summary': step.summary } };
}

function modelCall({ input: asked, output: answered, envelope, name }: Step): ReturnType<typeof described> {
  const input = asObject(asked) as Partial<LlmInput>;
  const output = asObject(answered) as Partial<LlmOutput>;
  const operation = 'messages' in input ? 'chat' : 'embeddings';
  const model = envelope?.model ?? undefined;
  const { temperature, top_p: topP, max_tokens: maxTokens, seed } = envelope?.params ?? {};
  const params = asObject(input.params);
  const messages = [...(output.message ? [output.message] : []), ...(output.alternatives ?? [])];
  const usage = envelope?.usage;
  return {
    name: model === undefined ? (name || operation) : `${operation} ${model}`,
    kind: CLIENT,
    given: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider(envelope?.provider),
      'gen_ai.request.model': model,
      'gen_ai.response.model': envelope?.snapshot ?? undefined,
      'gen_ai.request.temperature': temperature,
      'gen_ai.request.top_p': topP,
      'gen_ai.request.max_tokens': maxTokens,
      'gen_ai.request.seed': seed,
      'gen_ai.request.frequency_penalty': params['frequency_penalty'],
      'gen_ai.request.presence_penalty': params['presence_penalty'],
      'gen_ai.request.choice.count': typeof params['n'] === 'number' && params['n'] !== 1 ? params['n'] : undefined,
      'gen_ai.response.id': asText(asObject(output.raw)['id']) ?? undefined,
      'gen_ai.response.finish_reasons': output.finishReason ? messages.map(() => output.finishReason) : undefined,
      'gen_ai.usage.input_tokens': usage?.inputTokens,
      'gen_ai.usage.output_tokens': usage?.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
      'gen_ai.input.messages': input.messages && jsonStringify(input.messages.map(messageOf)),
      'gen_ai.output.messages': messages.length > 0 ? jsonStringify(messages.map((message) => ({ ...messageOf(message), finish_reason: output.finishReason ?? 'unknown' }))) : undefined,
      'gen_ai.tool.definitions': input.tools && input.tools.length > 0 ? jsonStringify(input.tools.map(({ name: tool, description, parameters }) => ({ type: 'function', name: tool, description, parameters }))) : undefined,
      ...addressOf(asText(asObject(asked)['url']) ?? ''),
    },
  };
}

/** In the conventions' own form: a role and parts. */
function messageOf({ role, content, toolCalls, toolCallId, reasoning, refusal }: Message | AnswerMessage): object {
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', content: reasoning }]),
    ...(toolCallId === undefined ? partsOf(content) : [{ type: 'tool_call_response', id: toolCallId, response: content }]),
    ...(refusal === undefined ? [] : [{ type: 'text', content: refusal }]),
    ...(toolCalls ?? []).map(({ id, name, args }) => ({ type: 'tool_call', id, name, arguments: args })),
  ];
  return { role, parts };
}

function partsOf(content: unknown): object[] {
  if (content === null || content === undefined || content === '') return [];
  if (!Array.isArray(content)) return [{ type: 'text', content: asText(content) ?? jsonStringify(content) }];
  return content.map((part: unknown) => {
    const text = asText(part) ?? asText(asObject(part)['text']);
    return text === null ? { type: asText(asObject(part)['type']) ?? 'part', content: part } : { type: 'text', content: text };
  });
}

/** Calls that the model asked for and was told the result of: from its answer to the next question. */
function toolSpans(run: ReadableRun, { lane, steps }: ReadableLane, step: Step, traceId: string): Span[] {
  const asked = nanos(step.startedAt, step.latencyMs ?? 0);
  return (step.toolCalls ?? []).flatMap((call, index): Span[] => {
    const answered = steps.find(({ step: number }) => number === call.answeredAt);
    if (!answered) return [];
    return [{
      traceId, spanId: spanId(run.id, lane, step.step, index), parentSpanId: spanId(run.id), name: `execute_tool ${call.name}`, kind: INTERNAL, startTimeUnixNano: asked, endTimeUnixNano: latest(asked, nanos(answered.startedAt, 0)),
      attributes: attributes({ ...toolCall(call), 'error.type': call.error?.code, 'replay_harness.run': run.id, 'replay_harness.lane': lane, 'replay_harness.step': step.step }),
      ...(call.error && { status: { code: ERROR, message: call.error.message } }),
    }];
  });
}

function toolCall({ id, name, args, result }: ModelToolCall): Readonly<Record<string, unknown>> {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id, 'gen_ai.tool.type': 'function', 'gen_ai.tool.call.arguments': json(args), 'gen_ai.tool.call.result': json(result) };
}

function addressOf(url: string): Readonly<Record<string, unknown>> {
  try {
    const { hostname, port, protocol } = new URL(url);
    return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
  } catch {
    return {};
  }
}

/** Of a run that asks one provider. */
function providerOf({ lanes }: ReadableRun): string | undefined {
  const asked = new Set(lanes.flatMap(({ steps }) => steps.flatMap(({ envelope }) => (envelope ? [provider(envelope.provider)] : []))));
  return asked.size === 1 ? [...asked][0] : undefined;
}

function provider(name: string | undefined): string | undefined {
  return name === undefined ? undefined : (PROVIDERS[name] ?? name);
}

function json(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : (asText(value) ?? jsonStringify(value));
}

function attributes(given: Readonly<Record<string, unknown>>): Attribute[] {
  return Object.entries(given).flatMap(([key, value]) => (value === null || value === undefined ? [] : [{ key, value: anyValue(value) }]));
}

function anyValue(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'boolean') return { boolValue: value };
  // 64-bit integers are texts in protobuf's JSON.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: asText(value) ?? jsonStringify(value) };
}

function prefixed(prefix: string, given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [prefix + key, value]));
}

/** @returns nanoseconds since the epoch, as OTLP writes them */
function nanos(time: string, laterMs: number): string {
  return String(BigInt(NativeDate.parse(time)) * 1_000_000n + BigInt(Math.round(laterMs * 1e6)));
}

function latest(a: string, b: string): string {
  return BigInt(a) > BigInt(b) ? a : b;
}

/** 8 bytes, hex: the same in every export of the run. */
function spanId(...parts: readonly (string | number)[]): string {
  return nativeCrypto.createHash('sha256').update(bufferFrom(parts.join(' '))).digest('hex').slice(0, 16);
}
