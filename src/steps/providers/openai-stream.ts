/** Assembles streamed chat completion chunks into the completion that the provider would have sent whole. */
import { asList, asNumber, asObject, asText, type JsonObject } from '../json.ts';
import { type AssembledStream, incompleteOf } from './stream.ts';

export function assembleChunks(stream: JsonObject): AssembledStream {
  const data = asList(stream['events']).map((event) => asObject(event)['data']);
  const chunks = data.map(asObject);
  const choices = new Map<number, StreamedChoice>();
  for (const choice of chunks.flatMap((chunk) => asList(chunk['choices'])).map(asObject)) {
    const index = asNumber(choice['index']) ?? 0;
    const known = choices.get(index) ?? new StreamedChoice();
    choices.set(index, known);
    known.add(choice);
  }
  const ordered = [...choices].sort(([a], [b]) => a - b);
  const usage = chunks.findLast((chunk) => asObject(chunk['usage'])['prompt_tokens'] !== undefined)?.['usage'];
  // `obfuscation` is padding of the single chunk.
  const { obfuscation: _padding, ...head } = asObject(chunks.find((chunk) => chunk['model'] !== undefined));
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: ordered.map(([index, choice]) => ({ index, message: choice.message(), finish_reason: choice.finishReason })),
      usage: usage ?? null,
      ...incompleteOf(stream),
    },
    finished: data.includes('[DONE]') || (ordered.length > 0 && ordered.every(([, choice]) => choice.finishReason !== null)),
    failure: chunks.find((chunk) => chunk['error'] !== undefined && chunk['error'] !== null),
  };
}

interface StreamedCall {
  id: string | null;
  name: string;
  args: string;
}

class StreamedChoice {
  finishReason: string | null = null;
  readonly #texts: Record<'content' | 'refusal' | 'reasoning_content', string | null> = { content: null, refusal: null, reasoning_content: null };
  readonly #calls = new Map<string, StreamedCall>();
  #lastKey = '';

  add(choice: JsonObject): void {
    const delta = asObject(choice['delta']);
    this.finishReason = asText(choice['finish_reason']) ?? this.finishReason;
    this.#append('content', delta['content']);
    this.#append('refusal', delta['refusal']);
    this.#append('reasoning_content', delta['reasoning_content'] ?? delta['reasoning']);
    for (const raw of asList(delta['tool_calls'])) this.#addCall(asObject(raw));
    if (delta['function_call'] !== undefined) this.#addCall({ index: 0, function: delta['function_call'] });
  }

  message(): JsonObject {
    const calls = [...this.#calls.values()].map(({ id, name, args }) => ({ id, function: { name, arguments: args } }));
    const { content, refusal, reasoning_content: reasoning } = this.#texts;
    return { role: 'assistant', content, refusal, ...(reasoning === null ? {} : { reasoning_content: reasoning }), ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  }

  #append(field: 'content' | 'refusal' | 'reasoning_content', piece: unknown): void {
    if (typeof piece === 'string') this.#texts[field] = (this.#texts[field] ?? '') + piece;
  }

  #addCall(fragment: JsonObject): void {
    const key = this.#keyOf(fragment);
    const call = this.#calls.get(key) ?? { id: null, name: '', args: '' };
    this.#calls.set(key, call);
    this.#lastKey = key;
    const asked = asObject(fragment['function'] ?? fragment['custom']);
    call.id ??= asText(fragment['id']);
    call.name += asText(asked['name']) ?? '';
    call.args += asText(asked['arguments']) ?? asText(asked['input']) ?? '';
  }

  /** Some compatible hosts leave the index out, and the id too after the first fragment. */
  #keyOf(fragment: JsonObject): string {
    const index = asNumber(fragment['index']);
    if (index !== null) return String(index);
    return asText(fragment['id']) ?? this.#lastKey;
  }
}
