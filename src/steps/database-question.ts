/** What one write asks of a database, known from its bytes alone: for comparing, and for people. */
import { asList, asObject, preview } from './json.ts';
import { type Difference, firstJsonDifference } from './json-diff.ts';
import { asksPostgres, PostgresConnection } from './postgres/connection.ts';
import { asksRedis, RedisConnection } from './redis/connection.ts';
import { shortly } from './said.ts';

export interface Question {
  readonly protocol: 'SQL' | 'Redis';
  /** As steps have them, one for each statement or command. Empty: about the login, of which nothing is shown. */
  readonly asked: readonly unknown[];
}

/** @returns undefined where the bytes are no whole question to a database */
export function databaseQuestion(bytes: Buffer): Question | undefined {
  const [protocol, connection] = asksPostgres(bytes) ? (['SQL', new PostgresConnection('', true)] as const) : asksRedis(bytes) ? (['Redis', new RedisConnection('')] as const) : [];
  if (!protocol || !connection) return undefined;
  connection.write(0, 0, bytes);
  return { protocol, asked: connection.said().map(({ input }) => input) };
}

export function describeQuestion({ protocol, asked }: Question): string {
  if (asked.length === 0) return `${protocol}: a message about the login, the connection or what is prepared`;
  const [first] = asked.map(asObject);
  const { sql, params, command, args } = first ?? {};
  const shown = sql === undefined ? `${String(command)} ${preview(args, 60)}` : [shortly(String(sql), 100), ...(asList(params).length > 0 ? [preview(params, 60)] : [])].join(' ');
  return `${protocol}: ${shown}${asked.length > 1 ? ` and ${asked.length - 1} more` : ''}`;
}

/** @returns where two questions differ; of what is not shown, only that it does */
export function questionDifference(expected: Question, actual: Question): Difference {
  const [wanted, asked] = [expected, actual].map((question) => (question.asked.length === 1 ? question.asked[0] : question.asked));
  const shown = [expected, actual].map(describeQuestion) as [string, string];
  return firstJsonDifference('', wanted, asked) ?? { field: expected.protocol, expected: shown[0], actual: shown[0] === shown[1] ? `${shown[1]}, with another value that is not shown` : shown[1] };
}
