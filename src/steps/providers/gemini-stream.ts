/** Assembles streamed Gemini responses: server-sent events, or one JSON array that grows. */
import type { DecodedBody } from '../body.ts';
import { asList, asNumber, asObject, asText, type JsonObject, parseShallowJson } from '../json.ts';
import { type AssembledStream, eventData, incompleteOf } from './stream.ts';

/** How many closing braces of a cut array are tried as its end. */
const SALVAGE_LIMIT = 200;

export function assembleGemini({ form, value }: DecodedBody): AssembledStream {
  const { chunks, incomplete } = form === 'events' ? { chunks: eventData(asObject(value)), incomplete: incompleteOf(asObject(value)) } : elementsOf(value);
  const candidates = new Map<number, JsonObject>();
  for (const candidate of chunks.flatMap((chunk) => asList(chunk['candidates'])).map(asObject)) {
    const index = asNumber(candidate['index']) ?? 0;
    candidates.set(index, merged(candidates.get(index), candidate));
  }
  const ordered = [...candidates].sort(([a], [b]) => a - b).map(([, candidate]) => candidate);
  const body = Object.assign({}, ...chunks, { candidates: ordered }, incomplete) as JsonObject;
  return {
    body,
    finished: body['promptFeedback'] !== undefined || (ordered.length > 0 && ordered.every((candidate) => asText(candidate['finishReason']) !== null)),
    failure: chunks.find((chunk) => chunk['error'] !== undefined),
  };
}

function merged(before: JsonObject | undefined, next: JsonObject): JsonObject {
  const parts = [before, next].flatMap((candidate) => asList(asObject(candidate?.['content'])['parts'])).map(asObject);
  return { ...before, ...next, content: { role: 'model', parts: parts.reduce(appendPart, []) } };
}

/** Pieces of one text, or of one thought, become one part. */
function appendPart(parts: JsonObject[], part: JsonObject): JsonObject[] {
  const last = parts.at(-1);
  const [before, text] = [asText(last?.['text']), asText(part['text'])];
  const continues = before !== null && text !== null && last?.['thought'] === part['thought'];
  return continues ? [...parts.slice(0, -1), { ...last, ...part, text: before + text }] : [...parts, part];
}

function elementsOf(value: unknown): { chunks: JsonObject[]; incomplete: { readonly incomplete?: unknown } } {
  const text = asText(value);
  if (text === null) return { chunks: (Array.isArray(value) ? asList(value) : [value]).map(asObject), incomplete: {} };
  let end = text.lastIndexOf('}');
  for (let tries = 0; end > 0 && tries < SALVAGE_LIMIT; tries++, end = text.lastIndexOf('}', end - 1)) {
    const whole = parseShallowJson(`${text.slice(0, end + 1)}]`);
    if (Array.isArray(whole)) return { chunks: whole.map(asObject), incomplete: { incomplete: text.slice(end + 1) } };
  }
  return { chunks: [], incomplete: { incomplete: text } };
}
