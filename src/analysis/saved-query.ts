/**
 * Questions kept as SQL files. A file says what it asks in its first comment lines, and names its parameters:
 *
 *   -- Runs in which a tool answered with nothing.
 *   -- :tool  name of the tool
 *   -- :days  how far back (default 30)
 *   SELECT … WHERE s.name = :tool AND s.started_at >= now() - make_interval(days => :days::int)
 *
 * Values are texts, sent beside the SQL and never within it.
 */
import { ConfigError } from '../model/error.ts';
import type { Database, Row } from '../store/sql/database.ts';

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  /** undefined: it has to be given. */
  readonly preset: string | undefined;
}

export interface SavedQuery {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly QueryParameter[];
  /** With $1, $2, … for the parameters, in their order. */
  readonly sql: string;
}

const COMMENT = /^--\s?(.*)$/;
const PARAMETER = /^:([a-z_][a-z0-9_]*)\s+(.*?)(?:\s*\(default (.*)\))?$/;
/** What a colon in SQL may be part of: text, an identifier, a comment, a dollar-quoted text, a cast; else a parameter. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$[a-z_]*\$)[\s\S]*?\1|::|:([a-z_][a-z0-9_]*)/gi;

/** @throws ConfigError when it uses a parameter that it does not describe, or the other way round */
export function parseQuery(name: string, text: string): SavedQuery {
  const lines = text.split(/\r?\n/);
  const head = lines.slice(0, lines.findIndex((line) => !COMMENT.test(line.trim()))).map((line) => (COMMENT.exec(line.trim()) as RegExpExecArray)[1]?.trim() ?? '');
  const parameters = head.flatMap((line): QueryParameter[] => {
    const [, parameter, description, preset] = PARAMETER.exec(line) ?? [];
    return parameter === undefined ? [] : [{ name: parameter, description: description ?? '', preset }];
  });
  const sql = text.replace(TOKEN, (token: string, _quote: string | undefined, parameter: string | undefined) => {
    if (parameter === undefined) return token;
    const at = parameters.findIndex((each) => each.name === parameter);
    if (at < 0) throw new ConfigError(`The query "${name}" uses :${parameter}, which its comments do not describe. Add a line such as "-- :${parameter}  what it is (default …)" at its beginning.`);
    // Its type is told: without a context PostgreSQL would have to guess.
    return `$${at + 1}::text`;
  });
  const unused = parameters.filter((_, at) => !sql.includes(`$${at + 1}::text`)).map((parameter) => `:${parameter.name}`);
  if (unused.length > 0) throw new ConfigError(`The query "${name}" describes ${unused.join(', ')}, and does not use it. Take the line out of its comments.`);
  return { name, description: head.filter((line) => line !== '' && !line.startsWith(':')).join(' '), parameters, sql: sql.trim().replace(/;\s*$/, '') };
}

/** Reads and changes nothing, whatever the SQL says. @throws ConfigError for a parameter that is missing or unknown, or SQL that the database refuses */
export async function runQuery(database: Database, query: SavedQuery, given: Readonly<Record<string, string>>): Promise<Row[]> {
  const unknown = Object.keys(given).filter((name) => !query.parameters.some((parameter) => parameter.name === name));
  if (unknown.length > 0) throw new ConfigError(`The query "${query.name}" has no parameter ${unknown.join(', ')}. ${parametersOf(query)}`);
  const missing = query.parameters.filter(({ name, preset }) => preset === undefined && given[name] === undefined);
  if (missing.length > 0) throw new ConfigError(`The query "${query.name}" needs ${missing.map(({ name }) => `--param ${name}=…`).join(' ')}. ${parametersOf(query)}`);
  const values = query.parameters.map(({ name, preset }) => given[name] ?? preset);
  try {
    return await database.transaction(async (inside) => {
      await inside.query('SET TRANSACTION READ ONLY', []);
      return inside.query(query.sql, values);
    });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message: string };
    // Classes of PostgreSQL that are about what the file says, or about the values.
    if (typeof code === 'string' && /^(?:22|25006|42)/.test(code)) throw new ConfigError(`The query "${query.name}" failed: ${message}. ${parametersOf(query)}`);
    throw error;
  }
}

export function parametersOf({ parameters }: SavedQuery): string {
  if (parameters.length === 0) return 'It takes no parameters.';
  return `Its parameters: ${parameters.map(({ name, description, preset }) => `${name} (${description}${preset === undefined ? '' : `; default ${preset}`})`).join(', ')}.`;
}
