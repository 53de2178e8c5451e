/** Assembles the events of `converse-stream` into the body of `converse`. */
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import { parseArguments } from './provider.ts';
import { type AssembledStream, incompleteOf } from './stream.ts';

export function assembleConverse(stream: JsonObject): AssembledStream {
  const events = asList(stream['events']).map((event) => ({ name: asText(asObject(event)['event']) ?? '', data: asObject(asObject(event)['data']) }));
  const named = (name: string): JsonObject | undefined => events.find((event) => event.name === name)?.data;
  const blocks = new Map<number, Block>();
  for (const { name, data } of events) {
    if (name !== 'contentBlockStart' && name !== 'contentBlockDelta') continue;
    const index = asNumber(data['contentBlockIndex']) ?? 0;
    const block = blocks.get(index) ?? new Block();
    blocks.set(index, block);
    block.add(data);
  }
  const content = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block.whole());
  const [start, stop, metadata] = [named('messageStart'), named('messageStop'), named('metadata')];
  return {
    body: { ...(start ? { output: { message: { ...start, content } } } : {}), ...stop, ...metadata, ...incompleteOf(stream) },
    finished: stop !== undefined,
    failure: events.find(({ name }) => /exception$|error$/i.test(name))?.data,
  };
}

class Block {
  #toolUse: JsonObject | undefined;
  #input = '';
  #text = '';
  #reasoning: string | undefined;

  add({ start, delta: raw }: JsonObject): void {
    const delta = asObject(raw);
    const toolUse = asObject(start)['toolUse'];
    if (isObject(toolUse)) this.#toolUse = toolUse;
    this.#text += asText(delta['text']) ?? '';
    this.#input += asText(asObject(delta['toolUse'])['input']) ?? '';
    const thought = delta['reasoningContent'];
    if (isObject(thought)) this.#reasoning = (this.#reasoning ?? '') + (asText(thought['text']) ?? '');
  }

  whole(): JsonObject {
    if (this.#toolUse) return { toolUse: { ...this.#toolUse, input: parseArguments(this.#input) } };
    return this.#reasoning === undefined ? { text: this.#text } : { reasoningContent: { reasoningText: { text: this.#reasoning } } };
  }
}
