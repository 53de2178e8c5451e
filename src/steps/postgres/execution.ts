/** One statement that was run, with what came of it. */
import { jsonStringify } from '../../runtime/natives.ts';
import { preview } from '../json.ts';
import { type Carrier, endingOf, type Said, shortly } from '../said.ts';
import type { StepError } from '../step.ts';
import { showColumn } from './types.ts';

/** Rows beyond these are counted, not shown. */
const SHOWN_ROWS = 1000;
const SHOWN_BYTES = 4 * 1024 * 1024;
const SHOWN_NOTICES = 20;
const NAME_CHARACTERS = 80;
const PARAMS_CHARACTERS = 60;
const MESSAGE_CHARACTERS = 120;

export interface Field {
  readonly name: string;
  readonly type: number;
  readonly format: number;
}

export interface Params {
  readonly values: readonly (Buffer | null)[];
  readonly formats: readonly number[];
  /** Of the statement; the server may tell them later. 0: unknown. */
  readonly types: () => readonly number[];
}

interface Result {
  readonly fields: readonly Field[] | undefined;
  readonly rows: (readonly (Buffer | null)[])[];
  bytes: number;
  hidden: number;
  command: string | null;
  rowCount: number | null;
}

export class Execution {
  readonly carrier: Carrier;
  endedAt: number | null = null;
  error: StepError | null = null;
  /** Bytes and messages that were copied, and in which direction. */
  copied: { readonly direction: 'in' | 'out'; messages: number; bytes: number } | undefined;
  /** An answer has come. */
  answered = false;
  readonly #sql: string;
  readonly #params: Params | undefined;
  readonly #prepared: string;
  readonly #results: Result[] = [];
  readonly #notices: object[] = [];
  #open: Result | undefined;
  #suspended = false;

  /** @param prepared name of a prepared statement; empty: none */
  constructor(carrier: Carrier, sql: string, params?: Params, prepared = '') {
    this.carrier = carrier;
    this.#sql = withoutPasswords(sql);
    this.#params = params;
    this.#prepared = prepared;
  }

  /** More of the answer has come, or the last of it. */
  heard(seqs: readonly number[], at: number): void {
    this.carrier.add(seqs, at);
    this.endedAt = at;
    this.answered = true;
  }

  describe(fields: readonly Field[] | undefined): void {
    this.#open ??= { fields, rows: [], bytes: 0, hidden: 0, command: null, rowCount: null };
  }

  /** @param values reads them, where they are to be shown; undefined: the row is too large */
  row(length: number, values: (() => (Buffer | null)[]) | undefined, fields: () => readonly Field[] | undefined): void {
    if (!this.#open) this.describe(fields());
    const open = this.#open as Result;
    open.bytes += length;
    if (values && open.rows.length < SHOWN_ROWS && (open.bytes <= SHOWN_BYTES || open.rows.length === 0)) open.rows.push(values());
    else open.hidden++;
  }

  /** A portal has given as many rows as it was asked for, and may have more. */
  suspend(): void {
    this.#suspended = true;
  }

  /** @param tag as the server says it: `INSERT 0 1` */
  complete(tag: string, fields: () => readonly Field[] | undefined): void {
    if (!this.#open) this.describe(fields());
    const open = this.#open as Result;
    const [, command = '', count] = /^(.*?)(?: \d+)??(?: (\d+))?$/.exec(tag) ?? [];
    // Of a portal that was suspended, the server counts only the rows since.
    const rowCount = this.#suspended ? open.rows.length + open.hidden : count === undefined ? null : Number(count);
    this.#results.push({ ...open, command: command === '' ? null : command, rowCount });
    this.#open = undefined;
  }

  notice(notice: object): void {
    if (this.#notices.length < SHOWN_NOTICES) this.#notices.push(notice);
  }

  /** @param pending the rest of the answer has not come */
  said(pending: boolean): Said {
    const params = this.#params ? paramsOf(this.#params) : [];
    const name = shortly(this.#sql, NAME_CHARACTERS);
    const error = this.error ?? (pending ? endingOf(undefined, this.answered) : null);
    const results = this.#open && !(error && this.#open.rows.length + this.#open.hidden === 0) ? [...this.#results, this.#open] : this.#results;
    const came = error ? `${error.code} ${shortly(error.message, MESSAGE_CHARACTERS)}` : results.map(summaryOf).join(', ') || 'done';
    return {
      seqs: this.carrier.seqs,
      startedAt: this.carrier.startedAt,
      endedAt: pending ? null : this.endedAt,
      kind: 'tool',
      name,
      summary: `${name}${params.length > 0 ? ` ${preview(params, PARAMS_CHARACTERS)}` : ''} → ${came}`,
      input: { sql: this.#sql, params, ...(this.#prepared !== '' && { prepared: this.#prepared }) },
      output: results.length === 0 && error ? null : this.#output(results),
      error,
      asked: `sql ${this.#sql}\n${jsonStringify(params)}`,
    };
  }

  #output(results: readonly Result[]): object {
    const [only] = results;
    const shown = results.length === 1 && only ? showResult(only) : results.length === 0 ? { rows: [], rowCount: null, command: null } : { results: results.map(showResult) };
    return { ...shown, ...(this.copied && { copied: this.copied }), ...(this.#notices.length > 0 && { notices: this.#notices }) };
  }
}

function paramsOf({ values, formats, types }: Params): unknown[] {
  const known = types();
  return values.map((value, index) => showColumn(known[index] ?? 0, formatOf(formats, index), value));
}

/** No formats: all text; one: of all. */
export function formatOf(formats: readonly number[], index: number): number {
  return (formats.length === 1 ? formats[0] : formats[index]) ?? 0;
}

function showResult({ fields, rows, hidden, command, rowCount }: Result): object {
  const names = fields?.map(({ name }) => name) ?? [];
  // Two columns of one name do not fit into an object.
  const byName = fields !== undefined && new Set(names).size === names.length;
  const shown = rows.map((row) => row.map((value, index) => showColumn(fields?.[index]?.type ?? 0, fields?.[index]?.format ?? 0, value)));
  return {
    rows: byName ? shown.map((row) => Object.fromEntries(row.map((value, index) => [names[index] ?? String(index), value]))) : shown,
    rowCount,
    command,
    ...(!byName && names.length > 0 && { columns: names }),
    ...(hidden > 0 && { rowsNotShown: hidden }),
  };
}

function summaryOf({ rows, hidden, command, rowCount, fields }: Result): string {
  const count = rows.length + hidden;
  if (fields === undefined && count === 0) return [command ?? 'nothing', rowCount].filter((part) => part !== null).join(' ');
  const rowsText = `${count} ${count === 1 ? 'row' : 'rows'}`;
  return command === null ? `${rowsText}, not all` : command === 'SELECT' || command === 'FETCH' ? rowsText : `${command} ${rowsText}`;
}

/** Only statements about roles hold passwords as literals. */
const PASSWORD = /(\bpassword\s+)(?:[eu]&?)?('(?:[^']|'')*'?|\$(\w*)\$[\s\S]*?(?:\$\3\$|$))/gi;

function withoutPasswords(sql: string): string {
  return sql.replace(PASSWORD, "$1'[masked]'");
}
