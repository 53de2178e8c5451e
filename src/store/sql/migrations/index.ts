/** Every migration there is, in order. A released one is never changed: a change is a new one at the end. */
import { TABLES } from './0001-tables.ts';
import { PARTITIONS } from './0002-partitions.ts';
import { APPEND_ONLY_RULES } from './0003-append-only.ts';
import { ROLES_AND_RIGHTS } from './0004-roles.ts';
import { VIEWS } from './0005-views.ts';
import { UPKEEP } from './0006-upkeep.ts';
import { SMALLER_INDEXES } from './0007-smaller-indexes.ts';
import { SEALED } from './0008-sealed.ts';
import { SMALLER_ROWS } from './0009-smaller-rows.ts';
import { PACKED_LISTS } from './0010-packed-lists.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const NAMED: readonly (readonly [string, string])[] = [['tables', TABLES], ['partitions', PARTITIONS], ['append-only', APPEND_ONLY_RULES], ['roles', ROLES_AND_RIGHTS], ['views', VIEWS], ['upkeep', UPKEEP], ['smaller-indexes', SMALLER_INDEXES], ['sealed', SEALED], ['smaller-rows', SMALLER_ROWS], ['packed-lists', PACKED_LISTS]];

export const MIGRATIONS: readonly Migration[] = NAMED.map(([name, sql], index) => ({ version: index + 1, name, sql }));
