/** Assembles Anthropic's stream events into the message that the provider would have sent whole. */
import { asNumber, asObject, asText, type JsonObject } from '../json.ts';
import { parseArguments } from './provider.ts';
import { type AssembledStream, eventData, incompleteOf } from './stream.ts';

export function assembleEvents(stream: JsonObject): AssembledStream {
  const events = eventData(stream);
  const start = events.find((event) => event['type'] === 'message_start');
  return {
    body: { ...(start ? assemble(asObject(start['message']), events) : {}), ...incompleteOf(stream) },
    finished: events.some((event) => event['type'] === 'message_stop'),
    failure: events.find((event) => event['type'] === 'error'),
  };
}

function assemble(message: JsonObject, events: readonly JsonObject[]): JsonObject {
  const blocks = new Map<number, Block>();
  let stopReason: unknown = message['stop_reason'];
  let usage = asObject(message['usage']);
  for (const event of events) {
    const index = asNumber(event['index']) ?? 0;
    if (event['type'] === 'content_block_start') blocks.set(index, new Block(asObject(event['content_block'])));
    else if (event['type'] === 'content_block_delta') blocks.get(index)?.add(asObject(event['delta']));
    else if (event['type'] === 'message_delta') {
      stopReason = asObject(event['delta'])['stop_reason'] ?? stopReason;
      usage = { ...usage, ...asObject(event['usage']) };
    }
  }
  const content = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block.whole());
  return { ...message, content, stop_reason: stopReason, usage };
}

class Block {
  readonly #begun: JsonObject;
  #text = '';
  #thinking = '';
  #input = '';

  constructor(begun: JsonObject) {
    this.#begun = begun;
  }

  add(delta: JsonObject): void {
    this.#text += asText(delta['text']) ?? '';
    this.#thinking += asText(delta['thinking']) ?? '';
    this.#input += asText(delta['partial_json']) ?? '';
  }

  whole(): JsonObject {
    const begun = this.#begun;
    switch (begun['type']) {
      case 'text':
        return { ...begun, text: (asText(begun['text']) ?? '') + this.#text };
      case 'thinking':
        return { ...begun, thinking: (asText(begun['thinking']) ?? '') + this.#thinking };
      default:
        return this.#input === '' ? begun : { ...begun, input: parseArguments(this.#input) };
    }
  }
}
