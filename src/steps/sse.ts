import { createParser } from 'eventsource-parser';
import { parseShallowJson } from './json.ts';

export interface ServerSentEvent {
  readonly event?: string;
  readonly id?: string;
  /** Parsed where it is a JSON object or array, else the text. */
  readonly data: unknown;
}

export interface EventList {
  readonly events: readonly ServerSentEvent[];
  /** The text behind the last whole event: the stream was cut there. */
  readonly incomplete?: string;
}

/** Assembles the text of an event stream. */
export function parseEvents(text: string): EventList {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const events: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, id, data }) => events.push({ ...(event === undefined ? {} : { event }), ...(id === undefined ? {} : { id }), data: parseData(data) }),
  });
  // The parser waits for what follows a carriage return; nothing does.
  parser.feed(body.endsWith('\r') ? `${body}\n` : body);
  const rest = behindLastEvent(body);
  return rest === '' ? { events } : { events, incomplete: rest };
}

function parseData(data: string): unknown {
  return /^\s*[[{]/.test(data) ? (parseShallowJson(data) ?? data) : data;
}

/** @returns '' when nothing but comments is left. */
function behindLastEvent(text: string): string {
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((gap) => (text.includes(gap) ? text.lastIndexOf(gap) + gap.length : 0));
  const rest = text.slice(Math.max(...ends)).trim();
  return rest.split(/\r\n|\r|\n/).every((line) => line === '' || line.startsWith(':')) ? '' : rest;
}
