/** Assembles `response.*` events. The last one holds the whole response; of a stream that was cut, the deltas do. */
import { asList, asNumber, asObject, asText, type JsonObject } from '../json.ts';
import { type AssembledStream, eventData, incompleteOf } from './stream.ts';

const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed']);

export function assembleResponse(stream: JsonObject): AssembledStream {
  const events = eventData(stream);
  const last = events.findLast((event) => LAST.has(asText(event['type']) ?? ''));
  const response = asObject((last ?? events.find((event) => event['response'] !== undefined))?.['response']);
  const output = asList(response['output']).length > 0 ? response['output'] : assembleItems(events);
  const error = events.find((event) => event['type'] === 'error');
  return {
    body: { ...response, output, ...incompleteOf(stream) },
    finished: last !== undefined,
    failure: error ?? (last?.['type'] === 'response.failed' ? { error: response['error'] } : undefined),
  };
}

function assembleItems(events: readonly JsonObject[]): JsonObject[] {
  const items = new Map<number, StreamedItem>();
  for (const event of events) {
    const index = asNumber(event['output_index']);
    if (index === null) continue;
    const item = items.get(index) ?? new StreamedItem();
    items.set(index, item);
    item.add(event);
  }
  return [...items].sort(([a], [b]) => a - b).map(([, item]) => item.whole());
}

class StreamedItem {
  #begun: JsonObject = {};
  #done: JsonObject | undefined;
  readonly #pieces = new Map<string, string>();

  add(event: JsonObject): void {
    const type = asText(event['type']) ?? '';
    if (type === 'response.output_item.added') this.#begun = asObject(event['item']);
    else if (type === 'response.output_item.done') this.#done = asObject(event['item']);
    else if (type.endsWith('.delta')) this.#pieces.set(type, this.#text(type) + (asText(event['delta']) ?? ''));
  }

  whole(): JsonObject {
    if (this.#done) return this.#done;
    switch (this.#begun['type']) {
      case 'message':
        return { ...this.#begun, content: [...this.#part('output_text', 'text'), ...this.#part('refusal', 'refusal')] };
      case 'function_call':
        return { ...this.#begun, arguments: this.#text('response.function_call_arguments.delta') };
      case 'custom_tool_call':
        return { ...this.#begun, input: this.#text('response.custom_tool_call_input.delta') };
      case 'reasoning':
        return { ...this.#begun, summary: this.#part('reasoning_summary_text', 'text'), content: this.#part('reasoning_text', 'text') };
      default:
        return this.#begun;
    }
  }

  #part(type: string, field: string): JsonObject[] {
    const text = this.#text(`response.${type}.delta`);
    return text === '' ? [] : [{ type, [field]: text }];
  }

  #text(type: string): string {
    return this.#pieces.get(type) ?? '';
  }
}
