/** What the readers of all streams need. */
import { asList, asObject, type JsonObject } from '../json.ts';

/** A stream, assembled into the body that the provider would have sent whole. */
export interface AssembledStream {
  readonly body: JsonObject;
  /** The provider said that the answer was over. */
  readonly finished: boolean;
  /** The event with which the provider broke off. */
  readonly failure: JsonObject | undefined;
}

export function eventData(stream: JsonObject): JsonObject[] {
  return asList(stream['events']).map((event) => asObject(asObject(event)['data']));
}

/** What a cut left of the last event, for the assembled body. */
export function incompleteOf(stream: JsonObject): { readonly incomplete?: unknown } {
  return stream['incomplete'] === undefined ? {} : { incomplete: stream['incomplete'] };
}
