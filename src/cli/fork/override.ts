/** `--set PATH=JSON` and `--output FILE`: another answer to a recorded step, in the form in which it was on the wire. */
import { ConfigError } from '../../model/error.ts';
import { decodeBody } from '../../steps/body.ts';
import type { HttpResponse } from '../../steps/http1.ts';
import { assembleEvents } from '../../steps/providers/anthropic-stream.ts';
import { assembleChunks } from '../../steps/providers/openai-stream.ts';
import { type Answer, answerOf, withBody } from './wire.ts';

export interface Change {
  /** As it was typed. */
  readonly path: string;
  readonly segments: readonly (string | number)[];
  readonly value: unknown;
}

type Json = Record<string | number, unknown>;

/** @throws ConfigError */
export function parseChange(text: string): Change {
  const at = text.indexOf('=');
  const path = text.slice(0, at);
  const segments = at < 1 ? [] : [...path.matchAll(/[^.[\]]+|\[(\d+)\]/g)].map(([name, index]) => (index === undefined ? name : Number(index)));
  if (segments.length === 0) throw new ConfigError(`--set takes PATH=JSON, for instance body.entries[0].risk='"high"', not "${text}".`);
  try {
    return { path, segments, value: JSON.parse(text.slice(at + 1)) as unknown };
  } catch {
    throw new ConfigError(`--set ${text}: what stands behind "=" is not JSON. A text needs quotation marks: --set '${path}="…"'.`);
  }
}

/** @throws ConfigError where a path leads nowhere */
export function changed(response: HttpResponse, changes: readonly Change[], step: number): Answer {
  const { value, form } = decodeBody(response.body, response.headers);
  let answer = answerOf(response);
  const isStream = typeof value === 'object' && value !== null && Array.isArray((value as { events?: unknown }).events) && form !== 'json';
  const whole = isStream ? assembled(value as Json) : value;
  const body = structuredClone(whole);
  let isBodyChanged = false;
  for (const { path, segments: [first, ...rest], value: wanted } of changes) {
    if (first === 'status' && rest.length === 0 && typeof wanted === 'number') answer = { ...answer, status: wanted, statusText: '' };
    else if (first === 'body' && rest.length === 0 && !isStream) return withBody(answer, Buffer.from(JSON.stringify(wanted)));
    else {
      const place = first === 'body' ? rest : first === 'message' ? messagePlace(body as Json, rest) : undefined;
      if (!place) throw noPath(path, step);
      put(body, place, first === 'message' ? asWritten(body as Json, place, wanted) : wanted, () => noPath(path, step));
      isBodyChanged = true;
    }
  }
  if (!isBodyChanged) return answer;
  return withBody(answer, Buffer.from(isStream ? streamed(body as Json) : JSON.stringify(body)));
}

function noPath(path: string, step: number): ConfigError {
  return new ConfigError(`--set ${path}: the answer of step ${step} has nothing there. replay-harness show RUN --step ${step} --json shows it, under output; status, body.… and, of a model's answer, message.content and message.toolCalls[N].args can be set.`);
}

function put(target: unknown, place: readonly (string | number)[], value: unknown, missing: () => ConfigError): void {
  let at = target as Json;
  for (const segment of place.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !(segment in at)) throw missing();
    at = at[segment] as Json;
  }
  const last = place.at(-1) as string | number;
  if (typeof at !== 'object' || at === null || !(last in at)) throw missing();
  at[last] = value;
}

/** Where the neutral form of a message lies in the provider's own. */
function messagePlace(body: Json, [field, index, args, ...inner]: readonly (string | number)[]): (string | number)[] | undefined {
  const choices = body['choices'] as Json[] | undefined;
  const content = body['content'] as Json[] | undefined;
  if (field === 'content' && index === undefined) {
    if (choices) return ['choices', 0, 'message', 'content'];
    const text = Array.isArray(content) ? content.findIndex((block) => block['type'] === 'text') : -1;
    return text < 0 ? undefined : ['content', text, 'text'];
  }
  if (field !== 'toolCalls' || typeof index !== 'number' || args !== 'args' || (inner.length > 0 && choices)) return undefined;
  if (choices) return ['choices', 0, 'message', 'tool_calls', index, 'function', 'arguments'];
  const calls = (Array.isArray(content) ? content : []).flatMap((block, at) => (block['type'] === 'tool_use' ? [at] : []));
  return calls[index] === undefined ? undefined : ['content', calls[index], 'input', ...inner];
}

/** OpenAI has arguments as JSON in a text. */
function asWritten(body: Json, place: readonly (string | number)[], value: unknown): unknown {
  return 'choices' in body && place.at(-1) === 'arguments' ? JSON.stringify(value) : value;
}

function assembled(stream: Json): Json {
  const isAnthropic = (stream['events'] as { data?: { type?: unknown } }[]).some(({ data }) => data?.type === 'message_start');
  return (isAnthropic ? assembleEvents(stream) : assembleChunks(stream)).body;
}

/** The events that a provider would have sent for this answer. */
function streamed(body: Json): string {
  return 'choices' in body ? chunks(body) : messageEvents(body);
}

function chunks({ choices, usage, ...first }: Json): string {
  const event = (data: object): string => `data: ${JSON.stringify({ ...first, object: 'chat.completion.chunk', ...data })}\n\n`;
  const parts = (choices as { index: number; message: Json; finish_reason: unknown }[]).flatMap(({ index, message, finish_reason: reason }) => {
    const calls = ((message['tool_calls'] ?? []) as Json[]).map((call, at) => ({ index: at, type: 'function', ...call }));
    const choice = (delta: object, finish: unknown = null): string => event({ choices: [{ index, delta, finish_reason: finish }] });
    return [
      choice({ role: 'assistant', content: calls.length > 0 ? null : '' }),
      ...(typeof message['content'] === 'string' ? [choice({ content: message['content'] })] : []),
      ...calls.map((call) => choice({ tool_calls: [call] })),
      choice({}, reason),
    ];
  });
  return [...parts, ...(usage ? [event({ choices: [], usage })] : []), 'data: [DONE]\n\n'].join('');
}

function messageEvents(message: Json): string {
  const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const blocks = (message['content'] as Json[]).flatMap((block, index) => {
    const isText = block['type'] === 'text';
    const delta = isText ? { type: 'text_delta', text: block['text'] } : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
    return [event('content_block_start', { index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } }), event('content_block_delta', { index, delta }), event('content_block_stop', { index })];
  });
  const { stop_reason: reason, stop_sequence: sequence = null, usage } = message;
  return [
    event('message_start', { message: { ...message, content: [], stop_reason: null, stop_sequence: null } }), ...blocks,
    event('message_delta', { delta: { stop_reason: reason, stop_sequence: sequence }, usage }), event('message_stop', {}),
  ].join('');
}
