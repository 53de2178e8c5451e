/** Every migration there is, in order. A released one is never changed: a change is a new one at the end. */
import { TABLES } from './0001-tables.ts';
import { PARTITIONS } from './0002-partitions.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [TABLES, PARTITIONS].map((sql, index) => ({ version: index + 1, name: ['tables', 'partitions'][index] as string, sql }));
