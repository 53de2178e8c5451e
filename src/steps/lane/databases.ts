/** Databases within the process (node:sqlite): a step for each statement, and for what opens one. */
import type { OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { asList, asText, parseJson, preview } from '../json.ts';
import { type Draft, type OperationEvent, outcomeOf } from './draft.ts';
import { showValue } from './show-value.ts';

/** Calls by which a statement runs. */
const STATEMENTS: ReadonlySet<string> = new Set(['exec', 'run', 'get', 'all', 'iterate']);

export class Databases {
  readonly #paths = new Map<number, string>();
  /** What was told to be written, until its answer comes. */
  readonly #written = new Map<number, OutputEvent>();
  readonly #drafts: Draft[] = [];

  take(event: OperationEvent): void {
    if (event.type === 'start') this.#paths.set(event.operation, nameOf(event));
    else if (event.type === 'output') this.#written.set(event.operation, event);
  }

  answered(event: ValueEvent): void {
    const [call, operation, first, ...params] = asList(parseJson(event.key));
    const method = asText(call) ?? '';
    const database = this.#paths.get(Number(operation)) ?? '';
    const written = this.#written.get(Number(operation));
    this.#written.delete(Number(operation));
    const sql = asText(first);
    const isStatement = STATEMENTS.has(method) && sql !== null;
    const { result, error } = outcomeOf(event);
    // Fetching row by row and looking at properties belong to a statement that is a step.
    if (!isStatement && method !== 'new' && !error) return;
    const name = isStatement ? `sqlite ${oneLine(sql)}` : `sqlite ${method === 'new' ? `open ${database}` : `${method} ${oneLine(sql ?? '')}`.trim()}`;
    const output = error ? null : outputOf(method, sql ?? '', result);
    this.#drafts.push({
      seq: written?.seq ?? event.seq,
      events: written ? [written, event] : [event],
      kind: isStatement ? 'tool' : 'state',
      boundary: 'sqlite',
      name,
      summary: error || output ? `${name} → ${error ? error.code : preview(output, 60)}` : name,
      input: isStatement ? { sql, params, database } : { call: method, database },
      output,
      error,
      asked: `sqlite ${event.key}`,
      startedAt: written?.at ?? event.at,
      endedAt: event.at,
    });
  }

  finish(): Draft[] {
    return this.#drafts;
  }
}

function nameOf(start: StartEvent): string {
  return asText(asList(parseJson(start.key))[1]) ?? '';
}

function oneLine(sql: string): string {
  const line = sql.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** Rows of a query, or what a statement changed; rows that are fetched one by one are not listed. */
function outputOf(method: string, sql: string, result: unknown): unknown {
  const command = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? null;
  if (method === 'all' && Array.isArray(result)) return { rows: showValue(result), rowCount: result.length, command };
  if (method === 'get') return { rows: result === undefined ? [] : [showValue(result)], rowCount: result === undefined ? 0 : 1, command };
  return method === 'run' ? { ...(showValue(result) as object), command } : null;
}
