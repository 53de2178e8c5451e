/** Whether the model was told what the service answered. */
import { asObject, asText, canonicalJson, isObject, parseShallowJson } from './json.ts';
import type { ModelToolCall, Step } from './step.ts';

/**
 * Compares the result of a tool call with the response of the one request that served it; JSON by its value, text word for word.
 * @returns null where there is no one response to compare with: none, several, an error, or not text.
 */
export function handedOn({ result, error, answeredAt, servedBy }: ModelToolCall, steps: ReadonlyMap<number, Step>): 'same' | 'differs' | null {
  const [by] = servedBy;
  const step = by !== undefined && servedBy.length === 1 ? steps.get(by) : undefined;
  if (!step || step.kind !== 'tool' || (step.boundary !== 'http' && step.boundary !== 'http2') || step.error || error || answeredAt === null) return null;
  const body = asObject(step.output)['body'] ?? null;
  if (body === null || asText(asObject(body)['base64']) !== null) return null;
  return canonicalJson(valueOf(body)) === canonicalJson(valueOf(result)) ? 'same' : 'differs';
}

/** A program may parse what it was answered, or hand its text on. */
function valueOf(told: unknown): unknown {
  const parts = Array.isArray(told) && told.length === 1 && isObject(told[0]) && told[0]['type'] === 'text' ? told[0]['text'] : told;
  const text = asText(parts);
  return text === null ? parts : (parseShallowJson(text) ?? text.trim());
}
