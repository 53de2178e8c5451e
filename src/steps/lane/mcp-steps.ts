/** What an agent and a server of the Model Context Protocol said to each other through the pipes of a child process. */
import type { LaneEvent } from '../../model/event.ts';
import { jsonStringify } from '../../runtime/natives.ts';
import { asList, asObject, asText, preview } from '../json.ts';
import { type Carried, RpcLines, type RpcMessage } from '../json-rpc.ts';
import type { StepError } from '../step.ts';
import type { Draft } from './draft.ts';

type DataEvent = Extract<LaneEvent, { type: 'delivery' | 'output' }>;

type Side = 'client' | 'server';

interface Spoken extends Carried<DataEvent> {
  readonly side: Side;
}

/** @param spoken what was written to the child and read from it, in order. @returns undefined where that is another protocol */
export function mcpDrafts(spoken: readonly DataEvent[]): Draft[] | undefined {
  const lines = { client: new RpcLines<DataEvent>(), server: new RpcLines<DataEvent>() };
  const messages = spoken.flatMap((event): Spoken[] => {
    const side = event.type === 'output' ? 'client' : 'server';
    return lines[side].take(event.data, event).map((carried) => ({ ...carried, side }));
  });
  const [first] = messages;
  if (first?.side !== 'client' || first.message.method !== 'initialize') return undefined;
  const answers = new Map(messages.filter(({ message }) => message.method === undefined && message.id != null).map((answer) => [keyOf(answer), answer]));
  const hello = answers.get(`server ${jsonStringify(first.message.id)}`)?.message.result;
  const server = asText(asObject(asObject(hello)['serverInfo'])['name']) ?? 'mcp';
  return messages.filter(({ message }) => message.method !== undefined).map((asked) => {
    if (asked.message.id == null) return noticeDraft(asked, server);
    // The other side answers.
    const answer = answers.get(`${asked.side === 'client' ? 'server' : 'client'} ${jsonStringify(asked.message.id)}`);
    return requestDraft(asked, answer, server);
  });
}

function keyOf({ side, message }: Spoken): string {
  return `${side} ${jsonStringify(message.id)}`;
}

function requestDraft(asked: Spoken, answer: Spoken | undefined, server: string): Draft {
  const { tool, args } = callOf(asked.message);
  const error = answer ? errorOf(answer.message) : null;
  const result = answer?.message.result;
  const from = asked.side === 'server' ? ` asked by ${server}` : ` · ${server}`;
  const came = !answer ? 'no answer' : error ? `${error.code}: ${error.message}` : preview(shownResult(result), 120);
  return {
    ...baseOf(asked, answer),
    kind: 'tool',
    name: `mcp ${tool}`,
    summary: `${tool}${args === undefined ? '' : ` ${preview(args, 80)}`}${from} → ${came}`,
    input: { tool, args: args ?? {}, server, ...(asked.side === 'server' && { askedBy: 'server' }) },
    output: answer && answer.message.error === undefined ? { result: result ?? null } : null,
    error,
    asked: `mcp ${asked.message.method} ${jsonStringify(asked.message.params ?? null)}`,
    endedAt: answer?.sources.at(-1)?.at ?? null,
  };
}

/** A notification: nobody answers. */
function noticeDraft(asked: Spoken, server: string): Draft {
  const { method = '', params = null } = asked.message;
  const told = { method, params };
  return {
    ...baseOf(asked, undefined),
    kind: 'message',
    name: `mcp ${method}`,
    summary: `${method}${params === null ? '' : ` ${preview(params, 120)}`} · ${asked.side === 'server' ? `from ${server}` : `to ${server}`}`,
    input: asked.side === 'client' ? told : null,
    output: asked.side === 'server' ? told : null,
    error: null,
    asked: `mcp ${method} ${jsonStringify(params)}`,
    endedAt: asked.sources.at(-1)?.at ?? null,
  };
}

function baseOf(asked: Spoken, answer: Spoken | undefined): Pick<Draft, 'seq' | 'events' | 'boundary' | 'startedAt'> {
  // A message that came in pieces is there with the last one.
  const arrived = asked.sources.at(-1) as DataEvent;
  return { seq: arrived.seq, events: [...new Set([...asked.sources, ...(answer?.sources ?? [])])], boundary: 'child_process', startedAt: arrived.at };
}

/** A call of a tool goes by the tool's name, everything else by its method. */
function callOf({ method = '', params }: RpcMessage): { tool: string; args: unknown } {
  const { name, arguments: args } = asObject(params);
  return method === 'tools/call' && typeof name === 'string' ? { tool: name, args: args ?? {} } : { tool: method, args: params };
}

function errorOf({ error, result }: RpcMessage): StepError | null {
  if (error) return { code: typeof error.code === 'number' ? String(error.code) : 'ERROR', message: asText(error.message) ?? 'the server refused', ...(error.data !== undefined && { data: error.data }) };
  if (asObject(result)['isError'] !== true) return null;
  return { code: 'TOOL_ERROR', message: textOf(result) || 'the tool failed' };
}

/** The text of a tool's answer, where it is nothing else. */
function shownResult(result: unknown): unknown {
  return textOf(result) || result;
}

function textOf(result: unknown): string {
  return asList(asObject(result)['content']).map((part) => asText(asObject(part)['text']) ?? '').join(' ').trim();
}
