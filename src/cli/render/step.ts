/** The text of `show --step N`: one step with all that it holds. */
import { asList, asObject, asText } from '../../steps/json.ts';
import { contentText, type LlmInput, type LlmOutput, type Message } from '../../steps/providers/provider.ts';
import type { ModelToolCall, ServedByBasis, Step } from '../../steps/step.ts';
import { provenance } from './llm-lines.ts';
import { duration, type Paint, painter, visible } from './text.ts';

export function renderStep(step: Step, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const conversation = step.kind === 'llm' && 'messages' in asObject(step.input);
  const input = conversation ? llmInput(step.input as LlmInput, paint) : exchangeOrValue(step.input);
  const output = conversation && step.output ? llmOutput(step.output as LlmOutput, paint) : exchangeOrValue(step.output);
  return [
    ...facts(step, paint),
    ...section('input', input, paint),
    ...section('output', output, paint),
    ...section('tool calls', (step.toolCalls ?? []).map((call) => outcomeLine(call)), paint),
    ...(step.error ? section('error', [paint('red', visible(`${step.error.code}: ${step.error.message}`)), ...stackOf(step)], paint) : []),
    ...(step.envelope ? section('envelope', [pretty(step.envelope)], paint) : []),
    '',
  ].join('\n');
}

function facts(step: Step, paint: Paint): string[] {
  const took = step.latencyMs === null ? 'never ended' : `took ${duration(step.latencyMs)}`;
  return [
    `${paint('bold', `step ${step.step}`)}  ${step.kind} · ${step.boundary}  ${visible(step.name)}`,
    paint('dim', [step.startedAt, took, `agent ${visible(step.agentId)}`, step.after === null ? 'from the program’s first turn' : `after ${step.after}`, `lamport ${step.lamport}`, `causal parent ${step.causalParent}`].join(' · ')),
    paint('dim', `key ${step.key}`),
    paint('dim', `checksum ${step.checksum}`),
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`.trimEnd())];
}

function llmInput({ model, messages, tools, params, ...rest }: LlmInput, paint: Paint): string[] {
  const url = asText(asObject(rest)['url']);
  return [
    ...(url === null ? [] : [visible(url)]),
    `model ${visible(model ?? 'unknown')}`,
    ...(Object.keys(params).length > 0 ? [`params ${pretty(params)}`] : []),
    ...tools.map((tool) => `tool ${visible(tool.name)}${tool.description ? `: ${visible(tool.description)}` : ''}\n${pretty(tool.parameters)}`),
    ...messages.flatMap((message, index) => messageText(message, `[${index}]`, paint)),
  ];
}

function llmOutput({ message, finishReason, usage, alternatives, raw }: LlmOutput, paint: Paint): string[] {
  return [
    ...(message ? messageText(message, '', paint) : [pretty(raw)]),
    ...(alternatives ?? []).flatMap((other, index) => messageText(other, `choice ${index + 1}`, paint)),
    ...(finishReason === null ? [] : [`finish reason ${visible(finishReason)}`]),
    ...(usage ? [`usage ${pretty(usage)}`] : []),
  ];
}

function messageText(message: Message, label: string, paint: Paint): string[] {
  const { role, content, toolCalls = [], toolCallId, reasoning, refusal } = message;
  const heading = [label, role, toolCallId === undefined ? '' : `answers ${toolCallId}`, message.isError ? '(error)' : ''].filter(Boolean).join(' ');
  const body = Array.isArray(content) && content.some((part) => asText(asObject(part)['text']) === null) ? pretty(content) : visible(contentText(content));
  return [
    paint('blue', visible(heading)),
    ...(reasoning ? [paint('dim', `(thinks) ${visible(reasoning)}`)] : []),
    ...(body === '' ? [] : [body]),
    ...(refusal ? [`(refuses) ${visible(refusal)}`] : []),
    ...toolCalls.map((call) => `→ ${visible(call.name)} ${pretty(call.args)}${call.id === null ? '' : paint('dim', `  ${visible(call.id)}`)}`),
  ];
}

const BASES: Readonly<Record<ServedByBasis, string>> = {
  cause: 'the answer with this call led to it',
  arguments: 'of the calls that were open, its arguments are in what was asked',
  time: 'no other call was open; nothing recorded links the two',
};

function outcomeLine(call: ModelToolCall): string {
  const { name, result, error, answeredAt, servedByBasis } = call;
  if (answeredAt === null) return `${visible(name)}: never answered`;
  const told = error ? `✗ ${visible(error.message)}` : pretty(result);
  const reason = servedByBasis === null ? '' : ` (${BASES[servedByBasis]})`;
  return `${visible(name)} → ${told}\n${provenance(call)}${reason}`;
}

/** HTTP as on the wire; a file's content and printed text as they are; else JSON. */
function exchangeOrValue(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const { method, url, status, headers, body, ...rest } = asObject(value);
  if (headers === undefined) return plain(value);
  return [
    visible(method === undefined ? `status ${String(status)}` : `${String(method)} ${String(url)}`),
    ...Object.entries(asObject(headers)).flatMap(([name, held]) => (Array.isArray(held) ? asList(held) : [held]).map((one) => visible(`${name}: ${String(one)}`))),
    ...(body === null || body === undefined ? [] : ['', pretty(body)]),
    ...(Object.keys(rest).length > 0 ? ['', pretty(rest)] : []),
  ];
}

function plain(value: unknown): string[] {
  const entries = Object.entries(asObject(value));
  const [key, text] = entries[0] ?? [];
  return entries.length === 1 && (key === 'content' || key === 'text') && typeof text === 'string' ? [visible(text)] : [pretty(value)];
}

function pretty(value: unknown): string {
  return visible(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
}

function stackOf(step: Step): string[] {
  const stack = asText(step.error?.['stack']);
  return stack ? [visible(stack)] : [];
}
