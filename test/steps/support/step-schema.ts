/** The contract's JSON of `show`, as a schema: nothing may be missing, and the forms of input and output hold by kind and boundary. */
import type { SchemaObject } from 'ajv';

const text: SchemaObject = { type: 'string' };
const textOrNull: SchemaObject = { type: ['string', 'null'] };
const number: SchemaObject = { type: 'integer', minimum: 0 };
const numberOrNull: SchemaObject = { type: ['integer', 'null'], minimum: 0 };
const amount: SchemaObject = { type: ['number', 'null'], minimum: 0 };
const any: SchemaObject = {};

const object = (properties: Record<string, SchemaObject>, optional: Record<string, SchemaObject> = {}): SchemaObject => ({
  type: 'object', required: Object.keys(properties), additionalProperties: false, properties: { ...properties, ...optional },
});
const orNull = (schema: SchemaObject): SchemaObject => ({ anyOf: [{ type: 'null' }, schema] });
const list = (items: SchemaObject): SchemaObject => ({ type: 'array', items });

const headers: SchemaObject = { type: 'object', additionalProperties: { anyOf: [text, list(text)] } };
const error = { type: 'object', required: ['code', 'message'], properties: { code: text, message: text } };
const usage = object({ inputTokens: amount, outputTokens: amount, totalTokens: amount }, { cachedTokens: amount, reasoningTokens: amount });
const toolCall = object({ id: textOrNull, name: text, args: any });
const message = (required: Record<string, SchemaObject>, optional: Record<string, SchemaObject>): SchemaObject =>
  object({ role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] }, content: any, ...required }, { toolCallId: text, name: text, reasoning: text, refusal: text, isError: { type: 'boolean' }, ...optional });
const answer = message({ toolCalls: list(toolCall) }, {});
const params: SchemaObject = { type: 'object' };

const conversation = {
  input: object({ model: textOrNull, messages: list(message({}, { toolCalls: list(toolCall) })), tools: list(object({ name: text, description: textOrNull, parameters: any })), params, raw: any, url: text }),
  output: object({ message: orNull(answer), finishReason: textOrNull, usage: orNull(usage), raw: any, status: numberOrNull }, { alternatives: list(answer) }),
};
const embeddings = {
  input: object({ model: textOrNull, input: any, params, raw: any, url: text }),
  output: object({ vectors: number, dimensions: numberOrNull, usage: orNull(usage), raw: any, status: numberOrNull }),
};
const exchange = {
  input: object({ method: text, url: text, headers, body: any }, { bodyNote: text, socketPath: text }),
  output: orNull(object({ status: number, headers, body: any }, { bodyNote: text, trailers: headers, tunnel: { type: 'object' }, pipelined: list(any) })),
};
const sqlResult = { rows: list(any), rowCount: amount, command: textOrNull };
const sqlExtras = { columns: list(text), rowsNotShown: number, notices: list({ type: 'object' }), pipelined: list(any) };
const printed = { anyOf: [object({ text }, { end: { const: true } }), object({ base64: text, bytes: number }), object({ bytes: number, sha256: text })] };

const envelope = object({
  provider: text, model: textOrNull, snapshot: textOrNull, params: object({ temperature: any, top_p: any, max_tokens: any, seed: any }),
  contextHash: { type: 'string', pattern: '^[0-9a-f]{64}$' }, promptTemplate: textOrNull, decision: textOrNull, usage: orNull(usage),
});
const modelToolCall = object({
  id: textOrNull, name: text, args: any, result: any, error: orNull(error), answeredAt: numberOrNull, servedBy: list(number), servedByBasis: { enum: ['cause', 'arguments', 'time', null] },
});

/** By `kind boundary`: the input and the output. */
const FORMS: Readonly<Record<string, { input: SchemaObject; output: SchemaObject }>> = {
  'llm http': { input: { anyOf: [conversation.input, embeddings.input] }, output: { anyOf: [conversation.output, embeddings.output] } },
  'tool http': exchange,
  'tool websocket': exchange,
  'tool socket': {
    input: { anyOf: [object({ address: text, protocol: textOrNull }), object({ sql: text, params: list(any) }, { prepared: text }), object({ command: text, args: list(any) })] },
    output: orNull({ anyOf: [object({ bytesSent: number, bytesReceived: number }), object(sqlResult, { ...sqlExtras, copied: object({ direction: { enum: ['in', 'out'] }, messages: number, bytes: number }) }), object({ results: list(object(sqlResult, sqlExtras)) }, sqlExtras), object({ result: any }, { pipelined: list(any) })] }),
  },
  'state socket': {
    input: { anyOf: [object({ address: text, protocol: { const: 'postgres' }, user: textOrNull, database: textOrNull }, { application: text }), object({ address: text, protocol: text, cancels: number }), object({ command: text, args: list(any) })] },
    output: orNull({ anyOf: [object({ server: text, authentication: text, encrypted: { type: 'boolean' } }), object({ result: any }, { pipelined: list(any) })] }),
  },
  'message socket': { input: { type: 'null' }, output: orNull({ anyOf: [object({ channel: text, payload: text, pid: number }), object({ channel: any, payload: any })] }) },
  'tool fs': { input: object({ operation: text, path: any }), output: orNull({ type: 'object', minProperties: 1 }) },
  'tool child_process': {
    input: { anyOf: [object({ command: text, args: list(text), cwd: text, stdin: any, env: { type: 'object' } }), object({ tool: text, args: any, server: text }, { askedBy: { const: 'server' } })] },
    output: orNull({ anyOf: [object({ stdout: any, stderr: any, exitCode: numberOrNull, signal: textOrNull }, { pipes: { type: 'object' }, protocol: { const: 'mcp' } }), object({ result: any })] }),
  },
  'message child_process': { input: orNull({ type: 'object', minProperties: 1 }), output: orNull({ type: 'object', minProperties: 1 }) },
  'state dns': { input: object({ call: text, args: list(any) }), output: orNull(object({ result: any })) },
  'state crypto': { input: object({ call: text, args: list(any) }), output: orNull(object({ result: any })) },
  'time timer': { input: object({ timer: { enum: ['immediate', 'timeout'] } }, { delayMs: amount }), output: object({ fired: number }) },
  'time clock': { input: object({ clocks: list(text) }), output: object({ reads: list(object({ clock: text, value: any }, { count: number })) }) },
  'random random': { input: object({ call: text }, { args: list(any) }), output: orNull({ anyOf: [object({ draws: number }, { values: list({ type: 'number' }) }), object({ value: any }), object({ result: any })] }) },
  'state env': { input: object({ call: text, args: list(any) }), output: orNull(object({ value: any })) },
  'message stdin': { input: { type: 'null' }, output: printed },
  'message stdout': { input: { type: 'null' }, output: printed },
  'message stderr': { input: { type: 'null' }, output: printed },
  'message signal': { input: { type: 'null' }, output: object({ event: text }) },
  'state exit': { input: { type: 'null' }, output: object({ code: { type: 'integer' } }) },
  'state uncaptured': { input: { type: 'null' }, output: { type: 'null' } },
};
export const SORTS: readonly string[] = Object.keys(FORMS);

const base = {
  step: number, name: text, summary: text, agentId: text, lamport: number, causalParent: number, after: numberOrNull, error: orNull(error),
  key: { type: 'string', pattern: '^[0-9a-f]{64}$' }, checksum: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  startedAt: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }, latencyMs: amount, ended: numberOrNull,
};

const STEP: SchemaObject = {
  oneOf: Object.entries(FORMS).map(([sort, { input, output }]) => {
    const [kind, boundary] = sort.split(' ');
    const llm = kind === 'llm';
    return object({ ...base, kind: { const: kind }, boundary: { const: boundary }, input, output, envelope: llm ? envelope : { type: 'null' } }, llm ? { toolCalls: list(modelToolCall) } : {});
  }),
};

export const RUN_SCHEMA: SchemaObject = object({
  id: text, parentRunId: textOrNull, forkedFrom: textOrNull, replayOf: textOrNull, name: textOrNull, agent: text, command: list(text), cwd: text, status: { enum: ['recording', 'complete', 'truncated'] },
  exitCode: numberOrNull, signal: textOrNull, startedAt: text, durationMs: amount, node: text, steps: number, llmCalls: number, toolCalls: number, tags: { type: 'object', additionalProperties: text }, payload: { enum: ['here', 'archived', 'expired', 'disk cap', 'erased'] },
  replayable: { type: 'boolean' }, uncaptured: list(text),
});

export const STEPS_SCHEMA: SchemaObject = list(STEP);

const worker = object({ parentLane: number, operation: number, script: text, threadId: number });
const lane = object({ lane: number, complete: { type: 'boolean' }, steps: STEPS_SCHEMA }, { worker });

export const SHOW_SCHEMA: SchemaObject = object({ run: RUN_SCHEMA, steps: STEPS_SCHEMA, lanes: list(lane), notable: list(object({ what: text, steps: { ...list(number), minItems: 1 }, text })) });
