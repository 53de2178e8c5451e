/** Modules that Node loads on demand and that reach the world by native code of their own: SQLite and WASI. */
import { loadQuietly } from '../../runtime/late-load.ts';
import type { Session } from '../session.ts';
import type { FsPrints } from './fs-prints.ts';
import { installSqlite, type Sqlite } from './sqlite.ts';
import { installWasi, type Wasi } from './wasi.ts';

/** @param exit the process ends by native code, with this exit code */
export function installLateModules(session: Session, prints: FsPrints, exit: (code: number) => void): void {
  loadQuietly('node:sqlite', (sqlite) => installSqlite(session, sqlite as unknown as Sqlite));
  loadQuietly('node:wasi', (wasi) => installWasi(session, wasi as unknown as Wasi, prints, exit));
}
